import { canonicalJsonOfParsed } from '../json/canonical-json.ts'
import { propertyOf } from '../json/property-of.ts'
import { parseInstant } from '../text/instant.ts'

/** First line of the text that is hashed, so that no other text of this service has the same hash. */
export const VERSION_HASH_LABEL = 'svc-version-v1'

/** `previousHash` of the first entry. */
export const GENESIS_PREVIOUS_HASH: string = '0'.repeat(64)

/** Difference of a resource from the previous version. */
export const CHANGE_KINDS = ['added', 'changed', 'removed'] as const

/** One version snapshot: an entry of the hash chain (contract decisions section 6). */
export interface VersionEntry {
  /** Id of the version, such as VS-0001. */
  readonly snapshotId: string
  /** 1 for the first version, incremented by 1 for each version. */
  readonly sequence: number
  /** ISO 8601 UTC. */
  readonly createdAt: string
  /** Major version of the API at the time. */
  readonly apiVersion: string
  /** Registry version at the time. */
  readonly registryVersion: string
  /** base64url SHA-256 of the canonical JSON of each resource's data: the value between the quotes of its ETag. */
  readonly resources: { readonly [name: string]: string }
  /** The difference from the resources of the previous entry, sorted by resource. */
  readonly changes: readonly {
    /** Name of the resource. */
    readonly resource: string
    /** The kind of difference. */
    readonly kind: (typeof CHANGE_KINDS)[number]
  }[]
  /** Note of the operator. */
  readonly note: string
  /** `hash` of the previous entry, or 64 zeros. */
  readonly previousHash: string
  /** SHA-256 of `versionHashText`, in lower-case hex. */
  readonly hash: string
}

/** An entry's summary in the history index. */
export type VersionSummary = Pick<
  VersionEntry,
  'snapshotId' | 'sequence' | 'createdAt' | 'previousHash' | 'hash'
>

/** The id of the version with this sequence number (1 and up): at least four digits. */
export function formatSnapshotId(sequence: number): string {
  return `VS-${String(sequence).padStart(4, '0')}`
}

/** The text whose SHA-256 is an entry's `hash`: a label line, then the canonical JSON of the entry without `hash`. */
export function versionHashText(entry: Omit<VersionEntry, 'hash'>): string {
  const { hash: _, ...hashed } = entry as VersionEntry
  return `${VERSION_HASH_LABEL}\n${canonicalJsonOfParsed(hashed)}`
}

/** Which rule of the chain an entry breaks. */
export type ChainFault =
  | 'SNAPSHOT_ID'
  | 'SEQUENCE'
  | 'PREVIOUS_HASH'
  | 'HASH'
  | 'CREATED_AT'
  | 'CHANGES'

/**
 * The chain is broken at one entry: `code` names the rule, the message what was expected and found.
 *
 * @example
 * ```ts
 * try {
 *   for await (const { data } of history(client)) console.log(data.snapshotId)
 * } catch (error) {
 *   if (error instanceof ChainError) console.error(`${error.snapshotId} breaks ${error.code}`)
 *   else throw error
 * }
 * ```
 */
export class ChainError extends Error {
  /** The rule that the entry breaks. */
  readonly code: ChainFault
  /** Id of the entry. */
  readonly snapshotId: string

  constructor(code: ChainFault, snapshotId: string, expected: string, found: string) {
    super(`${snapshotId}: ${code} is broken: expected ${expected}, found ${found}`)
    this.name = 'ChainError'
    this.code = code
    this.snapshotId = snapshotId
  }
}

/**
 * The link rule. Checks one entry against the one before it (`undefined` for the genesis) and against its own hash,
 * which the caller has computed over `versionHashText(entry)`. Throws a ChainError at the first rule that is broken.
 */
export function verifyLink(
  previous: VersionSummary | undefined,
  entry: VersionEntry,
  computedHash: string,
): void {
  const sequence = (previous?.sequence ?? 0) + 1
  const snapshotId = formatSnapshotId(sequence)
  const rules = [
    ['SNAPSHOT_ID', snapshotId, entry.snapshotId],
    ['SEQUENCE', sequence, entry.sequence],
    ['PREVIOUS_HASH', previous?.hash ?? GENESIS_PREVIOUS_HASH, entry.previousHash],
    ['HASH', computedHash, entry.hash],
  ] as const
  for (const [code, expected, found] of rules) {
    if (found !== expected) throw new ChainError(code, snapshotId, String(expected), String(found))
  }
  const { createdAt } = entry
  const createdMs = parseInstant(createdAt)
  if (createdMs === undefined)
    throw new ChainError('CREATED_AT', snapshotId, 'a UTC time', createdAt)
  if (previous !== undefined && !(createdMs >= (parseInstant(previous.createdAt) ?? NaN))) {
    const expected = `no earlier than ${previous.createdAt}`
    throw new ChainError('CREATED_AT', snapshotId, expected, createdAt)
  }
}

/** The first difference of two lists of changes, as text such as `status changed`. */
interface ChangesFault {
  /** The change that the resources show, or `nothing` past the end. */
  readonly expected: string
  /** The change that the entry lists, or `nothing` past the end. */
  readonly found: string
}

/** The digests of a version, by resource name. */
type Resources = VersionEntry['resources']

/** Differences between the resources of a version and the previous one, sorted by name. */
export function changesBetween(before: Resources, after: Resources): VersionEntry['changes'] {
  // Own properties only, because a resource may be named like an inherited property.
  const isChanged = (name: string) => propertyOf(before, name) !== propertyOf(after, name)
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter(isChanged))
  return [...names].toSorted().map((resource) => {
    const isAdded = propertyOf(before, resource) === undefined
    const isRemoved = propertyOf(after, resource) === undefined
    return { resource, kind: isAdded ? 'added' : isRemoved ? 'removed' : 'changed' }
  })
}

/**
 * Compares an entry's `changes` with the difference between its resources and those of the entry before it (`undefined`
 * for the genesis entry). Returns the first difference, or undefined. Members beyond `resource` and `kind` are not
 * compared.
 */
export function findChangesFault(
  previous: Pick<VersionEntry, 'resources'> | undefined,
  entry: Pick<VersionEntry, 'resources' | 'changes'>,
): ChangesFault | undefined {
  const format = ({ resource, kind }: VersionEntry['changes'][number]) => `${resource} ${kind}`
  const changes = changesBetween(previous?.resources ?? {}, entry.resources).map(format)
  const stated = entry.changes.map(format)
  for (const [index, expected] of [...changes, 'nothing'].entries()) {
    const found = stated[index] ?? 'nothing'
    if (found !== expected) return { expected, found }
  }
  return undefined
}

/** Throws a ChainError (CHANGES) unless an entry's `changes` are what its resources show. */
export function verifyChanges(
  previous: Pick<VersionEntry, 'resources'> | undefined,
  entry: VersionEntry,
): void {
  const fault = findChangesFault(previous, entry)
  if (fault === undefined) return
  throw new ChainError('CHANGES', entry.snapshotId, fault.expected, fault.found)
}
