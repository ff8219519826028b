import { canonicalJson, type JsonValue } from './canonical-json.ts'
import { CHANGE_KINDS, SNAPSHOT_ID_PATTERN, type VersionEntry } from './version-chain.ts'

const HASH_PATTERN = /^[0-9a-f]{64}$/
const DIGEST_PATTERN = /^[A-Za-z0-9_-]{43}$/
const MOMENT_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/

/** The text of a version entry is none: no JSON, not canonical, or a member is missing or of the wrong shape. */
export class VersionEntryError extends Error {
  /** The entry that was meant, as its file or address names it. */
  readonly snapshotId: string

  constructor(snapshotId: string, problem: string) {
    super(`${snapshotId}: ${problem}`)
    this.name = 'VersionEntryError'
    this.snapshotId = snapshotId
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isMoment(value: unknown): boolean {
  return typeof value === 'string' && MOMENT_PATTERN.test(value) && !Number.isNaN(Date.parse(value))
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function isChange(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['resource'] === 'string' &&
    CHANGE_KINDS.some((kind) => kind === value['kind'])
  )
}

/** What each member must be, and how to say so. Members beyond these are allowed: the hash covers them too. */
const MEMBERS: readonly (readonly [
  name: keyof VersionEntry,
  isRight: (value: unknown) => boolean,
  expected: string,
])[] = [
  ['snapshotId', (value) => isMatch(value, SNAPSHOT_ID_PATTERN), 'VS- and at least four digits'],
  ['sequence', (value) => Number.isSafeInteger(value), 'an integer'],
  ['createdAt', isMoment, 'an ISO 8601 time in UTC'],
  ['apiVersion', (value) => typeof value === 'string', 'text'],
  ['registryVersion', (value) => typeof value === 'string', 'text'],
  [
    'resources',
    (value) =>
      isObject(value) && Object.values(value).every((digest) => isMatch(digest, DIGEST_PATTERN)),
    'an object of digests, each 43 base64url characters',
  ],
  [
    'changes',
    (value) => Array.isArray(value) && value.every(isChange),
    `an array of { resource, kind }, the kind one of ${CHANGE_KINDS.join(', ')}`,
  ],
  ['note', (value) => typeof value === 'string', 'text'],
  ['previousHash', (value) => isMatch(value, HASH_PATTERN), '64 lower-case hexadecimal digits'],
  ['hash', (value) => isMatch(value, HASH_PATTERN), '64 lower-case hexadecimal digits'],
]

function isVersionEntry(
  value: unknown,
  snapshotId: string,
): value is VersionEntry & { readonly [name: string]: JsonValue } {
  if (!isObject(value)) {
    throw new VersionEntryError(snapshotId, 'the entry is no JSON object')
  }
  for (const [name, isRight, expected] of MEMBERS) {
    if (!isRight(value[name])) {
      throw new VersionEntryError(
        snapshotId,
        `${name} is ${value[name] === undefined ? 'missing' : 'not what it must be'}; expected ${expected}`,
      )
    }
  }
  return true
}

/**
 * Reads a version entry from its stored text and checks its shape, and that the text is its canonical JSON to the
 * letter (what is stored is what was hashed). `snapshotId` is the id the text was found under; it names the entry in
 * a VersionEntryError. Whether the entry belongs where it stands is the link rule's question (`verifyLink`).
 */
export function parseVersionEntry(text: string, snapshotId: string): VersionEntry {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new VersionEntryError(snapshotId, 'the entry is no JSON text')
  }
  if (!isVersionEntry(value, snapshotId) || canonicalJson(value) !== text) {
    throw new VersionEntryError(
      snapshotId,
      'the text is not the canonical JSON (RFC 8785) of the entry',
    )
  }
  return value
}
