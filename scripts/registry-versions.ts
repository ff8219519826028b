/** One line of docs/api/registry-versions.json: a registry version and the contract it stands for, for good. */
export interface RegistryVersionRecord {
  /** Semantic version without a pre-release part. */
  readonly registryVersion: string
  /** What `contractDigest` gave when the version was recorded. */
  readonly contractDigest: string
}

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/
const DIGEST = /^[0-9a-f]{64}$/
const WHERE = 'src/contract/endpoints.ts'

/** The record of registry versions does not fit the contract; the message says what to do. */
export class RegistryVersionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'RegistryVersionError'
  }
}

/** The records of a file's text, oldest first. Throws a RegistryVersionError when it is no such list. */
export function parseRegistryVersions(text: string): readonly RegistryVersionRecord[] {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    throw new RegistryVersionError('The file is no JSON; expected a list of recorded versions')
  }
  if (!Array.isArray(list)) {
    throw new RegistryVersionError('The file is no list; expected one of recorded versions')
  }
  const records = list.map((each: unknown, index) => {
    if (!isRecord(each)) {
      throw new RegistryVersionError(
        `Entry ${index + 1} is no record; expected registryVersion (three numbers) and contractDigest (64 hex digits)`,
      )
    }
    return each
  })
  for (const [index, record] of records.entries()) {
    const previous = records[index - 1]
    if (previous === undefined || isNewer(record.registryVersion, previous.registryVersion))
      continue
    throw new RegistryVersionError(
      `Entry ${index + 1} records ${record.registryVersion} after ${previous.registryVersion}; expected versions to increase`,
    )
  }
  return records
}

function isRecord(value: unknown): value is RegistryVersionRecord {
  return (
    typeof value === 'object' &&
    value !== null &&
    'registryVersion' in value &&
    'contractDigest' in value &&
    typeof value.registryVersion === 'string' &&
    typeof value.contractDigest === 'string' &&
    VERSION.test(value.registryVersion) &&
    DIGEST.test(value.contractDigest)
  )
}

/**
 * The records with the current version among them. A version that is recorded already must stand for the same contract,
 * and a new one must be the newest; otherwise throws a RegistryVersionError that says what to do.
 */
export function recordRegistryVersion(
  records: readonly RegistryVersionRecord[],
  current: RegistryVersionRecord,
): readonly RegistryVersionRecord[] {
  const { registryVersion, contractDigest } = current
  if (!VERSION.test(registryVersion)) {
    throw new RegistryVersionError(
      `The registry version ${registryVersion} is no version; expected three numbers in ${WHERE}`,
    )
  }
  const known = records.find((record) => record.registryVersion === registryVersion)
  const newest = records.at(-1)
  if (known === undefined) {
    if (newest === undefined || isNewer(registryVersion, newest.registryVersion)) {
      return [...records, current]
    }
    throw new RegistryVersionError(
      `The registry version ${registryVersion} is older than the recorded ${newest.registryVersion}; raise REGISTRY_VERSION in ${WHERE}`,
    )
  }
  if (known !== newest) {
    throw new RegistryVersionError(
      `The registry version ${registryVersion} was followed by ${newest?.registryVersion} already; raise REGISTRY_VERSION in ${WHERE}`,
    )
  }
  if (known.contractDigest !== contractDigest) {
    throw new RegistryVersionError(
      `The contract changed, but the registry version ${registryVersion} stands for another one (${known.contractDigest.slice(0, 12)}…, now ${contractDigest.slice(0, 12)}…). Raise REGISTRY_VERSION in ${WHERE}: the minor number for an addition, the patch number for a correction that breaks nobody`,
    )
  }
  return records
}

function isNewer(version: string, than: string): boolean {
  const left = version.split('.').map(Number)
  const right = than.split('.').map(Number)
  for (const [index, number] of left.entries()) {
    const difference = number - (right[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return false
}
