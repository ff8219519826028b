import { READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/registry/api-version'
import { propertyOf } from '#contract/json/property-of'
import {
  findChangesFault,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  versionHashText,
  type VersionEntry,
  type VersionSummary,
} from '#contract/history/version-chain'
import { sha256Hex } from '#crypto'
import {
  isPortable,
  isPublishedKey,
  verifyPortable,
  type PortableResponse,
} from './portable-response.ts'
import type { PublishedKey } from './verification-key.ts'
import { MAX_KEYS } from './signing-keys.ts'
import { areOfOneLineage, type PathResponse } from './key-lineage.ts'

/** Ways in which a signed history can contradict itself. */
export const HISTORY_FAULTS = {
  SHORTENED: 'versions that were signed are gone',
  REWRITTEN: 'one version was signed with two hashes',
  BROKEN: 'the signed entries do not form a chain',
  CHANGES_FALSE: 'an entry states other changes than its resources show',
  INCONSISTENT: 'a served resource does not match the newest version',
} as const

/** Code of a contradiction. */
export type HistoryFault = keyof typeof HISTORY_FAULTS

/** Where signed responses contradict each other. */
export interface HistoryFinding {
  /** Id of the version, or name of the resource; `versions` for the index as a whole. */
  readonly at: string
  /** The value that one response states or implies: a hash, an ETag, an id or a number. */
  readonly expected: string
  /** The value of the other response. */
  readonly found: string
}

/** Signed responses that cannot all be true, as JSON. Anyone can check it without the service. */
export interface HistoryEvidence {
  /** Name of this format. */
  readonly format: 'svc-history-evidence-v1'
  /** How the responses contradict each other. */
  readonly fault: HistoryFault
  /** The keys that signed. Compare their ids with the ids you pinned. */
  readonly keys: readonly PublishedKey[]
  /** In the order in which they were signed. */
  readonly responses: readonly PortableResponse[]
  /**
   * Signed responses of the signing-key endpoint. Two keys count as one service only if one of these, signed by the older
   * key, lists both.
   */
  readonly keyDocuments?: readonly PortableResponse[]
}

/** The fault that evidence proves. */
export interface ProvenFault {
  /** How the responses contradict each other. */
  readonly fault: HistoryFault
  /** A description of the fault. */
  readonly meaning: string
}

/**
 * The responses are signed, but they do not prove what the evidence claims.
 *
 * @example
 * ```ts
 * try {
 *   const { fault } = await verifyEvidence(JSON.parse(text), { pinnedKeyIds })
 *   console.log(`Proven: ${fault}`)
 * } catch (error) {
 *   if (error instanceof EvidenceError) console.log(`Proves nothing: ${error.message}`)
 *   else throw error
 * }
 * ```
 */
export class EvidenceError extends Error {
  constructor(problem: string) {
    super(problem)
    this.name = 'EvidenceError'
  }
}

function isSummary(value: unknown): value is VersionSummary {
  return (
    typeof propertyOf(value, 'snapshotId') === 'string' &&
    Number.isSafeInteger(propertyOf(value, 'sequence')) &&
    typeof propertyOf(value, 'createdAt') === 'string' &&
    typeof propertyOf(value, 'previousHash') === 'string' &&
    typeof propertyOf(value, 'hash') === 'string'
  )
}

/** The entries in data of `version`, `versions` or `versions/{id}`, newest first; empty for other data. */
export function entriesOf(data: unknown): readonly VersionSummary[] {
  const entries = propertyOf(data, 'entries') ?? [data]
  return Array.isArray(entries) && entries.every(isSummary) ? entries : []
}

/** Whether the response names the newest version. */
function tellsNewest({ path }: PathResponse): boolean {
  return path === READ_PATHS.version || path === READ_PATHS.versions
}

function isShortened([before, after]: readonly PathResponse[]): boolean {
  if (before === undefined || after === undefined) return false
  const [[first], [last]] = [entriesOf(before.data), entriesOf(after.data)]
  return (
    tellsNewest(after) &&
    first !== undefined &&
    last !== undefined &&
    before.provedAtMs <= after.provedAtMs &&
    first.sequence > last.sequence
  )
}

function isRewritten([one, other]: readonly PathResponse[]): boolean {
  const hashes = new Map(entriesOf(one?.data).map(({ sequence, hash }) => [sequence, hash]))
  return entriesOf(other?.data).some(
    ({ sequence, hash }) => (hashes.get(sequence) ?? hash) !== hash,
  )
}

/** The hash that an entry must have. */
export function hashOf(entry: VersionEntry): Promise<string> | string {
  return sha256Hex(versionHashText(entry))
}

/** Signed data may contain any JSON in place of a number or a hash, and `String` does not work for every object. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Where the index, newest first, breaks the chain; undefined if it is valid. */
export function findIndexFault(data: unknown): HistoryFinding | undefined {
  const entries = entriesOf(data)
  const [first] = entries
  const fault = (at: string, expected: unknown, found: unknown): HistoryFinding => ({
    at,
    expected: textOf(expected),
    found: textOf(found),
  })
  const count = propertyOf(data, 'count')
  // `count` is the number of entries, and `head` is the first.
  if (first === undefined || count !== entries.length) {
    return fault('versions', count, entries.length)
  }
  const head = propertyOf(propertyOf(data, 'head'), 'hash')
  if (head !== first.hash) return fault('versions', head, first.hash)
  for (const [index, { snapshotId, sequence, previousHash }] of entries.entries()) {
    const expected = entries.length - index
    if (sequence !== expected) return fault(snapshotId, expected, sequence)
    const id = formatSnapshotId(expected)
    if (snapshotId !== id) return fault(id, id, snapshotId)
    const hash = entries[index + 1]?.hash ?? GENESIS_PREVIOUS_HASH
    if (previousHash !== hash) return fault(snapshotId, hash, previousHash)
  }
  return undefined
}

const VERSION_PATH = /^\/(VS-\d+)$/

async function isBroken([one]: readonly PathResponse[]): Promise<boolean> {
  const { versions, version } = READ_PATHS
  if (one === undefined) return false
  if (one.path === versions) return findIndexFault(one.data) !== undefined
  const asked = one.path.startsWith(versions)
    ? VERSION_PATH.exec(one.path.slice(versions.length))?.[1]
    : undefined
  // Other data may contain a version without being an entry.
  if (asked === undefined && one.path !== version) return false
  const [entry] = entriesOf(one.data)
  if (entry === undefined) return false
  const isAnother = asked !== undefined && entry.snapshotId !== asked
  return isAnother || (await hashOf(entry as VersionEntry)) !== entry.hash
}

/** Whether a JSON value is an object whose members are all strings. */
function isRecordOfStrings(value: unknown): value is { readonly [name: string]: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((member) => typeof member === 'string')
  )
}

function isChange(value: unknown): value is VersionEntry['changes'][number] {
  return ['resource', 'kind'].every((name) => typeof propertyOf(value, name) === 'string')
}

/**
 * Where an entry's `changes` differ from the difference of its resources to those of the previous entry; undefined if
 * they match. `before` is undefined for the genesis entry. Resources or changes of the wrong type are a difference.
 */
export function findChangesFinding(
  before: unknown,
  entry: VersionSummary,
): HistoryFinding | undefined {
  const at = entry.snapshotId
  const resources = propertyOf(entry, 'resources')
  const changes = propertyOf(entry, 'changes')
  const previous = before === undefined ? {} : propertyOf(before, 'resources')
  if (!isRecordOfStrings(resources) || !isRecordOfStrings(previous)) {
    return { at, expected: 'resources with their digests', found: 'another value' }
  }
  if (!Array.isArray(changes) || !changes.every(isChange)) {
    return { at, expected: 'a list of changes', found: 'another value' }
  }
  const fault = findChangesFault({ resources: previous }, { resources, changes })
  return fault === undefined ? undefined : { at, ...fault }
}

/** The entry in a response to `version` or `versions/{id}`, if its hash is correct. */
async function hashedEntryOf({ path, data }: PathResponse): Promise<VersionSummary | undefined> {
  const isEntryPath = path === READ_PATHS.version || path.startsWith(`${READ_PATHS.versions}/`)
  if (!isEntryPath || propertyOf(data, 'entries') !== undefined) return undefined
  const [entry] = entriesOf(data)
  if (entry === undefined || (await hashOf(entry as VersionEntry)) !== entry.hash) return undefined
  return entry
}

/** Proved by an entry and the previous one, or by the genesis entry alone. Both hashes must be correct. */
async function areChangesFalse(statements: readonly PathResponse[]): Promise<boolean> {
  const entries = await Promise.all(statements.map(hashedEntryOf))
  const entry = entries.at(-1)
  if (entry === undefined || statements.length > 2) return false
  if (statements.length === 1) {
    return entry.sequence === 1 && findChangesFinding(undefined, entry) !== undefined
  }
  const [before] = entries
  return (
    before !== undefined &&
    before.hash === entry.previousHash &&
    findChangesFinding(before, entry) !== undefined
  )
}

/** Digest of a resource by its path, from the entry. */
function digestAt(entry: unknown, path: string): unknown {
  return propertyOf(propertyOf(entry, 'resources'), path.slice(BASE_PATH.length + 1))
}

function isInconsistent([before, between, after]: readonly PathResponse[]): boolean {
  if (before === undefined || between === undefined || after === undefined) return false
  const isOneHead =
    [before, after].every(({ path }) => path === READ_PATHS.version) &&
    propertyOf(before.data, 'hash') === propertyOf(after.data, 'hash') &&
    before.provedAtMs <= between.provedAtMs &&
    between.provedAtMs <= after.provedAtMs
  if (between.path === READ_PATHS.versions) {
    const [head] = entriesOf(between.data)
    return isOneHead && head?.hash !== propertyOf(before.data, 'hash')
  }
  const digest = digestAt(before.data, between.path)
  // The newest version has no digest for unlisted paths (the time, the keys, other versions).
  return isOneHead && typeof digest === 'string' && between.etag !== `W/"${digest}"`
}

const PROOFS: {
  readonly [Fault in HistoryFault]: (
    statements: readonly PathResponse[],
  ) => boolean | Promise<boolean>
} = {
  SHORTENED: isShortened,
  REWRITTEN: isRewritten,
  BROKEN: isBroken,
  CHANGES_FALSE: areChangesFalse,
  INCONSISTENT: isInconsistent,
}

/** Maximum number of responses that any fault needs. */
const MAX_RESPONSES = 3
/** One from the saved head, one from the audit. */
const MAX_KEY_DOCUMENTS = 2
/** The keys of a service then and now. */
const MAX_EVIDENCE_KEYS = 2 * MAX_KEYS

/** Whether a value is a list of at most `most` portable responses. */
function isPortableList(value: unknown, most: number): boolean {
  return Array.isArray(value) && value.length <= most && value.every(isPortable)
}

/**
 * Checks evidence offline: that pinned keys of one lineage signed every response, and that the responses contradict each
 * other as the evidence claims. Returns what is proved. Throws a VerificationError if a signature is invalid, and an
 * EvidenceError if the responses prove nothing.
 *
 * @example
 * ```ts
 * const { fault, meaning } = await verifyEvidence(JSON.parse(text), { pinnedKeyIds })
 * ```
 */
export async function verifyEvidence(
  evidence: HistoryEvidence,
  { pinnedKeyIds }: { readonly pinnedKeyIds: readonly string[] },
): Promise<ProvenFault> {
  // Anyone can write this file, so it may be any JSON.
  const { format, fault, keys, responses, keyDocuments = [] } = Object(evidence) as HistoryEvidence
  const isWhole =
    format === 'svc-history-evidence-v1' &&
    typeof fault === 'string' &&
    Object.hasOwn(PROOFS, fault) &&
    Array.isArray(keys) &&
    keys.length <= MAX_EVIDENCE_KEYS &&
    keys.every(isPublishedKey) &&
    isPortableList(responses, MAX_RESPONSES) &&
    isPortableList(keyDocuments, MAX_KEY_DOCUMENTS)
  if (!isWhole) {
    throw new EvidenceError('expected evidence of the format svc-history-evidence-v1')
  }
  const verifyAll = (portable: readonly PortableResponse[]) =>
    verifyInOrder(portable, keys, pinnedKeyIds)
  const statements = await verifyAll(responses)
  if (statements.some(({ status }) => status !== 200) || !(await PROOFS[fault](statements))) {
    throw new EvidenceError(`the responses are signed, and do not prove ${fault}`)
  }
  if (!(await areOfOneLineage(statements, await verifyAll(keyDocuments)))) {
    throw new EvidenceError('different keys signed the responses, and no key document links them')
  }
  return { fault, meaning: HISTORY_FAULTS[fault] }
}

/** Verifies portable responses, whatever their age. Throws a VerificationError for the first that is invalid. */
export async function verifyInOrder(
  portable: readonly PortableResponse[],
  keys: readonly PublishedKey[],
  pinnedKeyIds?: readonly string[],
): Promise<readonly PathResponse[]> {
  const verified: PathResponse[] = []
  for (const each of portable) {
    const [path = ''] = each.target.split('?')
    verified.push({ ...(await verifyPortable(each, keys, pinnedKeyIds)), path })
  }
  return verified
}
