import { isVersionEntry } from '#contract/history/entry-shape'
import type { VersionEntry, VersionSummary } from '#contract/history/version-chain'
import { propertyOf } from '#contract/json/property-of'
import { READ_PATHS } from '#contract/registry/read-paths'
import { BASE_PATH } from '#contract/terms/api-version'
import { ApiResponseError } from '../api-response-error.ts'
import { forEachSome } from '../for-each-some.ts'
import type { HttpResponse } from '../http-response.ts'
import type { PortableResponse } from '../portable-response.ts'
import type { ReadData } from '../reads.ts'
import { VerificationError } from '../verification-error.ts'
import type { ReadOptions, Verified } from '../verified.ts'
import type { AuditOptions } from './audit-options.ts'
import { createHistoryFailure, orBroken, type ProofContext, readIndex } from './history-failure.ts'
import {
  findChangesFinding,
  findEntryFault,
  findSummaryDifference,
  hashOf,
  type HistoryFault,
  type HistoryFinding,
} from './history-proofs.ts'
import { entriesOf } from './history-statement.ts'

/** A signed head with its proof. */
export interface KnownHead extends ProofContext {
  readonly entry: VersionSummary
  /** The whole entry. */
  readonly data: unknown
  readonly keyId: string
  readonly response: PortableResponse
  readonly provedAtMs: number
}

/** One pass over the history while `newest` is the newest version. */
export interface AuditRound extends AuditOptions {
  readonly readOptions: ReadOptions
  /** The head of the last audit. */
  readonly previous: KnownHead | undefined
  /** The head of the last audit, those of audits that did not settle, and those of the rounds before. */
  readonly known: readonly KnownHead[]
  readonly newest: Verified<ReadData<'version'>>
  /** Entries whose hash was recomputed in this audit, by hash; filled by the rounds. */
  readonly entries: Map<string, Promise<VersionEntry>>
}

/** The result of one pass. */
export interface AuditedRound {
  readonly resources: readonly string[]
  readonly unavailable: readonly string[]
  /** A mismatch with the newest version. It counts only if that version is still the newest after the round. */
  readonly contradiction?: HistoryFinding & { readonly response: HttpResponse }
}

/** Checks the newest version, the index, the new entries and the served resources once. */
export async function auditOnce(round: AuditRound): Promise<AuditedRound> {
  const { client, readOptions, previous, newest, onProgress } = round
  await requireSuccession(round, newest)
  onProgress?.({ step: 'head', head: newest.data, keyId: newest.keyId })
  const index = await readIndex(client, readOptions)
  const summaries = entriesOf(index.data)
  if (summaries[0]?.hash !== newest.data.hash) {
    const finding = {
      at: newest.data.snapshotId,
      expected: newest.data.hash,
      found: summaries[0]?.hash ?? '',
    }
    return {
      resources: [],
      unavailable: [],
      contradiction: { response: index.response, ...finding },
    }
  }
  await requireSuccession(round, index)
  const isNew = ({ sequence }: VersionSummary) =>
    round.everyVersion === true || previous === undefined || sequence > previous.entry.sequence
  const toRead = summaries.filter((each) => isNew(each) && !round.entries.has(each.hash))
  const names = servedNames(newest.data)
  onProgress?.({
    step: 'index',
    versions: summaries,
    previousHead: previous?.entry,
    toRead: toRead.length,
    resources: names.length,
  })
  await checkEntries(round, index, toRead)
  return checkResources(round, names)
}

/** Names of the resources that have an endpoint: those below `site/` have none (contract decisions section 6). */
function servedNames({ resources }: VersionEntry): readonly string[] {
  return Object.keys(resources).filter((name) => !name.startsWith('site/'))
}

/** Throws unless a response about the history continues every head that was signed before. */
async function requireSuccession(
  { client, known }: AuditRound,
  { data, response }: Verified<unknown>,
): Promise<void> {
  const summaries = entriesOf(data)
  const [head] = summaries
  for (const { entry, response: before, keys, keyDocuments } of known) {
    const fail = (fault: HistoryFault, finding: HistoryFinding) =>
      createHistoryFailure(client, fault, [before, response], finding, { keys, keyDocuments })
    if (head !== undefined && head.sequence < entry.sequence) {
      const { snapshotId } = entry
      throw await fail('SHORTENED', {
        at: snapshotId,
        expected: snapshotId,
        found: head.snapshotId,
      })
    }
    const same = summaries.find(({ sequence }) => sequence === entry.sequence)
    if (same !== undefined && same.hash !== entry.hash) {
      throw await fail('REWRITTEN', {
        at: entry.snapshotId,
        expected: entry.hash,
        found: same.hash,
      })
    }
  }
}

/**
 * Reads entries and recomputes their hashes and changes. Their signatures need no check, because the signed index
 * contains their hashes. An audit of ten thousand versions thus takes seconds.
 */
async function checkEntries(
  round: AuditRound,
  index: Verified<unknown>,
  summaries: readonly VersionSummary[],
): Promise<void> {
  const { concurrency = 24, signal, entries, onProgress } = round
  const all = entriesOf(index.data)
  // Oldest first, so that the read of the previous entry has already started and no read waits for a later one.
  const oldestFirst = summaries.toReversed()
  await forEachSome(oldestFirst, { concurrency, signal }, async (summary, laneSignal) => {
    const previous = all[all.length - summary.sequence + 1]
    const reading = readEntry(round, index, summary, laneSignal)
    entries.set(summary.hash, reading)
    const entry = await reading
    await checkChanges(round, index, entry, previous)
    onProgress?.({ step: 'version', version: summary })
  })
}

const decoder = new TextDecoder()
/** More than any entry with its envelope. */
const MAX_ENTRY_BYTES = 262_144

async function readEntry(
  round: AuditRound,
  index: Verified<unknown>,
  summary: VersionSummary,
  signal: AbortSignal,
): Promise<VersionEntry> {
  const { client } = round
  const target = `${READ_PATHS.versions}/${summary.snapshotId}`
  const { body } = await client.getUnverified(target, { signal })
  // Nothing that is larger than any entry is parsed before it is verified.
  const text = body.length <= MAX_ENTRY_BYTES ? decoder.decode(body) : ''
  return (await parseEntry(text, summary)) ?? (await readSignedEntry(round, index, summary)).data
}

/** The entry in an envelope; undefined if it is malformed or differs from the index. */
async function parseEntry(
  text: string,
  summary: VersionSummary,
): Promise<VersionEntry | undefined> {
  try {
    const { data } = JSON.parse(text) as { readonly data: unknown }
    if (!isVersionEntry(data) || data.hash !== summary.hash) return undefined
    const isListed =
      data.sequence === summary.sequence && findSummaryDifference(summary, data) === undefined
    return isListed && (await hashOf(data)) === data.hash ? data : undefined
  } catch {
    return undefined
  }
}

/**
 * Reads an entry with its signature. Throws a HistoryError if the signed entry is malformed, or is not the one that the
 * index lists. The index has been checked, so an entry that matches it continues the chain.
 */
export async function readSignedEntry(
  { client, readOptions }: Pick<AuditRound, 'client' | 'readOptions'>,
  index: Verified<unknown>,
  summary: VersionSummary,
): Promise<Verified<VersionEntry>> {
  const { snapshotId: at } = summary
  const signed = await orBroken(client, client.versionById(at, readOptions))
  const { data, response } = signed
  const fault = await findEntryFault(data, at)
  if (fault !== undefined) throw await createHistoryFailure(client, 'BROKEN', [response], fault)
  if (data.hash !== summary.hash) {
    const finding = { at, expected: summary.hash, found: data.hash }
    throw await createHistoryFailure(client, 'REWRITTEN', [response, index.response], finding)
  }
  const difference = findSummaryDifference(summary, data)
  if (difference === undefined) return signed
  throw await createHistoryFailure(client, 'BROKEN', [index.response, response], difference)
}

/** Throws a HistoryError with both entries if an entry's changes are not what its resources show. */
async function checkChanges(
  round: AuditRound,
  index: Verified<unknown>,
  entry: VersionEntry,
  previous: VersionSummary | undefined,
): Promise<void> {
  const before = previous === undefined ? undefined : await entryBefore(round, previous)
  if (findChangesFinding(before, entry) === undefined) return
  const signed = await readSignedEntry(round, index, entry)
  const signedBefore =
    previous === undefined ? undefined : await readSignedEntry(round, index, previous)
  const finding = findChangesFinding(signedBefore?.data, signed.data)
  // The hashes are equal, so the signature of the index covers the entries computed before.
  if (finding === undefined) throw new VerificationError('MALFORMED', 'expected the same entry')
  const responses = signedBefore === undefined ? [] : [signedBefore.response]
  throw await createHistoryFailure(
    round.client,
    'CHANGES_FALSE',
    [...responses, signed.response],
    finding,
  )
}

/** An entry that this audit has read, or the head of an earlier one; undefined if that is malformed. */
async function entryBefore({ entries, known }: AuditRound, { hash }: VersionSummary) {
  const head = known.find(({ entry }) => entry.hash === hash)?.data
  return (await entries.get(hash)) ?? (isVersionEntry(head) ? head : undefined)
}

async function checkResources(
  { client, readOptions, newest, concurrency = 24, signal, onProgress }: AuditRound,
  names: readonly string[],
): Promise<AuditedRound> {
  const resources: string[] = []
  const unavailable: string[] = []
  let contradiction: AuditedRound['contradiction']
  await forEachSome(names, { concurrency, signal }, async (name, laneSignal) => {
    const expected = `W/"${String(propertyOf(newest.data.resources, name))}"`
    try {
      const options = { ...readOptions, signal: laneSignal }
      const { etag, response } = await client.get(`${BASE_PATH}/${name}`, options)
      if (etag === expected) {
        resources.push(name)
        onProgress?.({ step: 'resource', name, isAvailable: true })
      } else contradiction ??= { response, at: name, expected, found: etag }
    } catch (error) {
      if (error instanceof VerificationError && error.code === 'MALFORMED' && error.response) {
        contradiction ??= { response: error.response, at: name, expected, found: 'no data' }
        return
      }
      const isGone = error instanceof ApiResponseError && error.code === 'SNAPSHOT_UNAVAILABLE'
      if (!isGone) throw error
      unavailable.push(name)
      onProgress?.({ step: 'resource', name, isAvailable: false })
    }
  })
  return { resources, unavailable, ...(contradiction === undefined ? {} : { contradiction }) }
}
