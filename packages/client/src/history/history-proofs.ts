import {
  findEntryShapeFault,
  findSummaryShapeFault,
  isVersionEntry,
  type ShapeFault,
} from '#contract/history/entry-shape'
import {
  findChangesFault,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  versionHashText,
  type VersionEntry,
  type VersionSummary,
} from '#contract/history/version-chain'
import { propertyOf } from '#contract/json/property-of'
import { parseInstant } from '#contract/text/instant'
import { sha256Hex } from '#crypto'
import { versionsIn, type Statement } from './history-statement.ts'

/** Ways in which a signed history can contradict itself. */
export const HISTORY_FAULTS = {
  SHORTENED: 'versions that were signed are gone',
  REWRITTEN: 'one version was signed with two hashes',
  BROKEN: 'the signed entries do not form a chain',
  CHANGES_FALSE: 'the changes listed in an entry do not match its resources',
  INCONSISTENT: 'a served resource does not match the newest version',
} as const

/** Code of a contradiction. */
export type HistoryFault = keyof typeof HISTORY_FAULTS

/** Where signed responses contradict each other. */
export interface HistoryFinding {
  /** ID of the version, or name of the resource; `versions` for the index as a whole. */
  readonly at: string
  /** The value that one response states or implies: a hash, an ETag, an id or a number. */
  readonly expected: string
  /** The value of the other response. */
  readonly found: string
}

/**
 * How long the nodes of an honest service may serve different versions after a release (contract decisions section 9).
 * Responses within this time of each other prove nothing about what is current.
 */
export const ROLLOUT_MS = 600_000

/** What statements are worth: `unsettled` is a contradiction that a release in progress explains. */
export type Proof = 'proven' | 'unsettled' | 'nothing'

/** A value of signed data, which may be any JSON, in a message. */
function textOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

function finding(at: string, expected: unknown, found: unknown): HistoryFinding {
  return { at, expected: textOf(expected), found: textOf(found) }
}

function shapeFinding(at: string, { member, expected, value }: ShapeFault): HistoryFinding {
  return finding(at, member === '' ? expected : `${member}: ${expected}`, value)
}

/** The hash that an entry must have. */
export function hashOf(entry: VersionEntry): Promise<string> | string {
  return sha256Hex(versionHashText(entry))
}

/** Where an entry contradicts the one before it; undefined if it does not. */
export function findLinkFault(
  entry: VersionSummary,
  before: VersionSummary,
): HistoryFinding | undefined {
  const { snapshotId, previousHash, createdAt } = entry
  if (previousHash !== before.hash) return finding(snapshotId, before.hash, previousHash)
  const [ms = NaN, beforeMs = NaN] = [parseInstant(createdAt), parseInstant(before.createdAt)]
  return ms >= beforeMs
    ? undefined
    : finding(snapshotId, `no earlier than ${before.createdAt}`, createdAt)
}

/** Where the whole index, newest first, breaks the chain; undefined if it is valid. */
export function findIndexFault(data: unknown): HistoryFinding | undefined {
  const listed = propertyOf(data, 'entries')
  if (!Array.isArray(listed)) return finding('versions', 'a list of entries', listed)
  const count = propertyOf(data, 'count')
  // `count` is the number of entries, and `head` is the first.
  if (listed.length === 0 || count !== listed.length)
    return finding('versions', count, listed.length)
  for (const [index, each] of listed.entries()) {
    const fault = findSummaryShapeFault(each)
    if (fault !== undefined) return shapeFinding(formatSnapshotId(listed.length - index), fault)
  }
  const entries = listed as readonly VersionSummary[]
  const head = propertyOf(data, 'head')
  const [first] = entries
  for (const name of ['hash', 'snapshotId'] as const) {
    const stated = propertyOf(head, name)
    if (stated !== first?.[name]) return finding('versions', stated, first?.[name])
  }
  for (const [index, entry] of entries.entries()) {
    const { snapshotId, sequence, previousHash } = entry
    const expected = entries.length - index
    if (sequence !== expected) return finding(snapshotId, expected, sequence)
    const id = formatSnapshotId(expected)
    if (snapshotId !== id) return finding(id, id, snapshotId)
    const before = entries[index + 1]
    if (before === undefined && previousHash !== GENESIS_PREVIOUS_HASH) {
      return finding(snapshotId, GENESIS_PREVIOUS_HASH, previousHash)
    }
    const fault = before && findLinkFault(entry, before)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Where an entry is malformed or has a wrong id or hash. `asked` is the id in its path, if there is one. */
export async function findEntryFault(
  data: unknown,
  asked?: string,
): Promise<HistoryFinding | undefined> {
  const shapeFault = findEntryShapeFault(data)
  const stated = propertyOf(data, 'snapshotId')
  const at = asked ?? (typeof stated === 'string' ? textOf(stated) : 'version')
  if (shapeFault !== undefined) return shapeFinding(at, shapeFault)
  const entry = data as VersionEntry
  const { snapshotId, sequence, hash } = entry
  const expected = asked ?? formatSnapshotId(sequence)
  if (snapshotId !== expected) return finding(expected, expected, snapshotId)
  if (formatSnapshotId(sequence) !== snapshotId) {
    return finding(snapshotId, snapshotId, formatSnapshotId(sequence))
  }
  const computed = await hashOf(entry)
  return computed === hash ? undefined : finding(snapshotId, computed, hash)
}

const SUMMARY_MEMBERS = ['snapshotId', 'createdAt', 'previousHash'] as const

/** Where two descriptions of one version with one hash differ; undefined if they do not. */
export function findSummaryDifference(
  one: VersionSummary,
  other: VersionSummary,
): HistoryFinding | undefined {
  const member = SUMMARY_MEMBERS.find((name) => one[name] !== other[name])
  return member && finding(one.snapshotId, `${member} ${one[member]}`, `${member} ${other[member]}`)
}

/** Where two statements describe one version differently, or one version and the next that does not continue it. */
function findPairFault(one: Statement, other: Statement): HistoryFinding | undefined {
  const bySequence = new Map(versionsIn(one).map((entry) => [entry.sequence, entry]))
  for (const entry of versionsIn(other)) {
    const same = bySequence.get(entry.sequence)
    const [before, next] = [-1, 1].map((step) => bySequence.get(entry.sequence + step))
    const fault =
      (same?.hash === entry.hash ? findSummaryDifference(same, entry) : undefined) ??
      (before && findLinkFault(entry, before)) ??
      (next && findLinkFault(next, entry))
    if (fault !== undefined) return fault
  }
  return undefined
}

async function proveBroken([one, other, ...more]: readonly Statement[]): Promise<Proof> {
  if (one === undefined || more.length > 0) return 'nothing'
  if (other !== undefined) return findPairFault(one, other) === undefined ? 'nothing' : 'proven'
  const { claim, data } = one
  const fault =
    claim?.kind === 'index'
      ? findIndexFault(data)
      : claim?.kind === 'entry'
        ? await findEntryFault(data, claim.name)
        : claim?.kind === 'newest'
          ? await findEntryFault(data)
          : undefined
  return fault === undefined ? 'nothing' : 'proven'
}

function proveRewritten([one, other, ...more]: readonly Statement[]): Proof {
  if (one === undefined || other === undefined || more.length > 0) return 'nothing'
  const hashes = new Map(versionsIn(one).map(({ sequence, hash }) => [sequence, hash]))
  const isRewritten = versionsIn(other).some(
    ({ sequence, hash }) => (hashes.get(sequence) ?? hash) !== hash,
  )
  return isRewritten ? 'proven' : 'nothing'
}

/** Whether a statement shows which version is the newest. A page of the index, or one entry, does not. */
function isAboutNewest({ claim }: Statement): boolean {
  return claim?.kind === 'newest' || claim?.kind === 'index'
}

function proveShortened([before, after, ...more]: readonly Statement[]): Proof {
  if (before === undefined || after === undefined || more.length > 0) return 'nothing'
  const [[first], [last]] = [versionsIn(before), versionsIn(after)]
  const isShorter =
    isAboutNewest(after) &&
    first !== undefined &&
    last !== undefined &&
    before.provedAtMs <= after.provedAtMs &&
    first.sequence > last.sequence
  if (!isShorter) return 'nothing'
  return after.provedAtMs - before.provedAtMs > ROLLOUT_MS ? 'proven' : 'unsettled'
}

/**
 * Where an entry's `changes` differ from the difference of its resources to those of the previous entry; undefined if
 * they match. `before` is undefined for the genesis entry.
 */
export function findChangesFinding(
  before: VersionEntry | undefined,
  entry: VersionEntry,
): HistoryFinding | undefined {
  const fault = findChangesFault(before, entry)
  return fault && { at: entry.snapshotId, ...fault }
}

/** The entry in a response to `version` or `versions/{id}`, if its hash is correct. */
async function hashedEntryOf({ claim, data }: Statement): Promise<VersionEntry | undefined> {
  const isOfEntry = claim?.kind === 'newest' || claim?.kind === 'entry'
  if (!isOfEntry || !isVersionEntry(data)) return undefined
  return (await hashOf(data)) === data.hash ? data : undefined
}

/** Proved by an entry and the previous one, or by the genesis entry alone. Both hashes must be correct. */
async function proveChangesFalse(statements: readonly Statement[]): Promise<Proof> {
  const entries = await Promise.all(statements.map(hashedEntryOf))
  const entry = entries.at(-1)
  if (entry === undefined || statements.length > 2) return 'nothing'
  const [before] = entries
  const isGenesis = statements.length === 1 && entry.sequence === 1
  const isNext = statements.length === 2 && before?.hash === entry.previousHash
  if (!isGenesis && !isNext) return 'nothing'
  const fault = findChangesFinding(isGenesis ? undefined : before, entry)
  return fault === undefined ? 'nothing' : 'proven'
}

/** Where a statement about the current data contradicts the newest version; undefined if it does not. */
export function findNewestContradiction(
  { claim, data, etag }: Statement,
  newest: unknown,
): HistoryFinding | undefined {
  if (claim?.kind === 'index') {
    const [head, expected] = [propertyOf(data, 'head'), newest].map((each) =>
      propertyOf(each, 'hash'),
    )
    return head === expected ? undefined : finding('versions', expected, head)
  }
  if (claim?.kind !== 'resource') return undefined
  // The newest version has no digest for what is not published in it, such as the time.
  const digest = propertyOf(propertyOf(newest, 'resources'), claim.name)
  if (typeof digest !== 'string' || etag === `W/"${digest}"`) return undefined
  return finding(claim.name, `W/"${digest}"`, etag)
}

/**
 * The same version is the newest before and after a response that contradicts it. More than the time of a rollout must lie
 * on both sides: otherwise a node that was late, or one that was ahead, explains the response.
 */
function proveInconsistent([before, between, after, ...more]: readonly Statement[]): Proof {
  if (before === undefined || between === undefined || after === undefined) return 'nothing'
  const isOneHead =
    more.length === 0 &&
    [before, after].every(({ claim, data }) => claim?.kind === 'newest' && isVersionEntry(data)) &&
    propertyOf(before.data, 'hash') === propertyOf(after.data, 'hash')
  const gaps = [between.provedAtMs - before.provedAtMs, after.provedAtMs - between.provedAtMs]
  const isInOrder = gaps.every((gap) => gap >= 0)
  if (!isOneHead || !isInOrder || findNewestContradiction(between, before.data) === undefined) {
    return 'nothing'
  }
  return gaps.every((gap) => gap > ROLLOUT_MS) ? 'proven' : 'unsettled'
}

/**
 * What statements prove, by the fault that they are said to prove. No statements of an honest service prove anything,
 * whichever requests, moments and nodes they come from.
 */
export const PROOFS: {
  readonly [Fault in HistoryFault]: (statements: readonly Statement[]) => Proof | Promise<Proof>
} = {
  SHORTENED: proveShortened,
  REWRITTEN: proveRewritten,
  BROKEN: proveBroken,
  CHANGES_FALSE: proveChangesFalse,
  INCONSISTENT: proveInconsistent,
}
