import { BASE_PATH } from '../contract/api-version.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { verifyLink, type VersionEntry, type VersionSummary } from '../contract/version-chain.ts'
import { ApiResponseError } from './api-response-error.ts'
import type { Client } from './client.ts'
import type { ReadData, ReadOptions, Verified } from './reads.ts'
import { forEachSome } from './for-each-some.ts'
import type { HeadStore } from './head-store.ts'
import {
  entriesOf,
  hashOf,
  HISTORY_FAULTS,
  indexFaultOf,
  type HistoryEvidence,
  type HistoryFault,
  type HistoryFinding,
} from './history-evidence.ts'
import { readNewest, requireVersion } from './newest-version.ts'
import { publishedOf, toPortable, verifyPortable, type PortableAnswer } from './portable-answer.ts'
import { UnsettledError } from './unsettled-error.ts'
import type { PublishedKey } from './verification-key.ts'
import type { Answer } from './verify-response.ts'

/** The service signed things that cannot all be true; `evidence` lets anyone check that (`verifyEvidence`). */
export class HistoryError extends Error {
  readonly code: HistoryFault
  /** JSON: keep it, it is the only proof. */
  readonly evidence: HistoryEvidence
  readonly finding: HistoryFinding

  constructor(evidence: HistoryEvidence, finding: HistoryFinding) {
    super(`${evidence.fault}: ${HISTORY_FAULTS[evidence.fault]} (${detailOf(evidence, finding)})`)
    this.name = 'HistoryError'
    this.code = evidence.fault
    this.evidence = evidence
    this.finding = finding
  }
}

function detailOf({ fault }: HistoryEvidence, { at, expected, found }: HistoryFinding): string {
  if (fault === 'SHORTENED') return `${expected} was signed, now the history ends with ${found}`
  if (fault === 'REWRITTEN') return `${at} is signed with ${expected} and with ${found}`
  return `${at}: expected ${expected}, found ${found}`
}

/** What an audit found to hold, told as it goes. It begins again where a version is published meanwhile. */
export type AuditProgress =
  /** The newest version is signed, and its hash is that of its entry. */
  | { readonly step: 'head'; readonly head: VersionSummary; readonly keyId: string }
  /** The index is signed, is a chain, ends with that head, and goes on from the head of the last audit. */
  | {
      readonly step: 'index'
      /** All versions, newest first. */
      readonly versions: readonly VersionSummary[]
      readonly previousHead: VersionSummary | undefined
      /** How many of them will be read. */
      readonly toRead: number
      /** How many resources will be asked for. */
      readonly resources: number
    }
  /** A version's hash was computed from its entry. */
  | { readonly step: 'version'; readonly version: VersionSummary }
  /** A resource is served as the newest version says, or the service says that it cannot serve it. */
  | { readonly step: 'resource'; readonly name: string; readonly isAvailable: boolean }

/** What an audit is made with. */
export interface AuditSettings {
  readonly client: Client
  /** Where the head is kept from one audit to the next; without one, only the history as it is now is checked. */
  readonly store?: HeadStore
  /** Reads every version, also those of an earlier audit. */
  readonly everyVersion?: boolean
  /** Versions that are fetched at the same time; 24 unless given. */
  readonly concurrency?: number
  readonly signal?: AbortSignal
  /** Hears of each step, and of none once the audit has ended; what it throws ends it. */
  readonly onProgress?: (progress: AuditProgress) => void
}

/** What an audit found to be right. */
export interface AuditReport {
  /** The newest version. */
  readonly head: VersionSummary
  /** The head of the audit before; undefined on the first. */
  readonly previousHead: VersionSummary | undefined
  /** Versions whose hash was computed from their entry in this audit. */
  readonly versionsRead: number
  /** Resources that are served as the newest version says. */
  readonly resources: readonly string[]
  /** Resources of the newest version that the service could not give. */
  readonly unavailable: readonly string[]
}

/** A head that was signed, with the proof. */
interface KnownHead {
  readonly entry: VersionSummary
  readonly answer: PortableAnswer
  readonly keys: readonly PublishedKey[]
}

/** How often an audit begins again because a version was published meanwhile. */
const MAX_ROUNDS = 4

/**
 * Recomputes the history: every version not seen before against its hash, the hashes against each other and against
 * the head of the last audit, and what is served now against the newest version. Throws a HistoryError with evidence
 * where the service contradicts itself; a VerificationError, an ApiResponseError or a ConnectionError where it could
 * not be asked; an UnsettledError where it grew all the time. The head is saved only when all is well.
 */
export async function auditHistory(settings: AuditSettings): Promise<AuditReport> {
  let hasEnded = false
  try {
    return await auditRounds({
      ...settings,
      onProgress(progress) {
        // What was under way at the same time as the step that failed may still come in.
        if (!hasEnded) settings.onProgress?.(progress)
      },
    })
  } finally {
    hasEnded = true
  }
}

async function auditRounds(settings: AuditSettings): Promise<AuditReport> {
  const { client, store, signal } = settings
  const options = { fresh: true, ...(signal === undefined ? {} : { signal }) }
  const saved = await store?.load()
  const previous = saved === undefined ? undefined : await readHead(saved)
  /** Hashes of the entries that were recomputed. */
  const seen = new Set<string>()
  // All that was signed before. What comes later has to go on from each of them: a head that came between two rounds says
  // nothing of the one that was kept.
  const known = previous === undefined ? [] : [previous]
  let newest = await readNewest(client, options)
  for (let round = 1; ; round += 1) {
    const found = await auditOnce({ ...settings, options, previous, known, newest, seen })
    const after = await readNewest(client, options)
    const isSameHead = after.data.hash === newest.data.hash
    if (isSameHead && found.contradiction !== undefined) {
      const { answer, ...finding } = found.contradiction
      const answers = [newest.answer, answer, after.answer]
      throw await historyError(client, 'INCONSISTENT', answers, finding)
    }
    if (isSameHead) {
      await store?.save({
        answer: toPortable(newest.answer),
        keys: publishedOf(await client.keys()),
      })
      const { resources, unavailable } = found
      const versionsRead = seen.size
      return {
        head: newest.data,
        previousHead: previous?.entry,
        versionsRead,
        resources,
        unavailable,
      }
    }
    if (round === MAX_ROUNDS) {
      throw new UnsettledError(MAX_ROUNDS)
    }
    known.push(await knownOf(client, newest))
    newest = after
  }
}

async function readHead(saved: {
  readonly answer: PortableAnswer
  readonly keys: readonly PublishedKey[]
}): Promise<KnownHead> {
  const { data } = await verifyPortable(saved.answer, saved.keys)
  const [entry] = entriesOf(data)
  if (entry === undefined) throw new TypeError('The saved head: expected the answer of version')
  return { ...saved, entry }
}

async function knownOf(client: Client, { data, answer }: Verified<VersionSummary>) {
  return { entry: data, answer: toPortable(answer), keys: publishedOf(await client.keys()) }
}

async function historyError(
  client: Client,
  fault: HistoryFault,
  answers: readonly (Answer | PortableAnswer)[],
  finding: HistoryFinding,
  keys: readonly PublishedKey[] = [],
): Promise<HistoryError> {
  const all = [...keys, ...publishedOf(await client.keys())]
  const byX = new Map(all.map((key) => [key.jwk.x, key]))
  const evidence: HistoryEvidence = {
    format: 'svc-history-evidence-v1',
    fault,
    keys: [...byX.values()],
    answers: answers.map((answer) => ('body' in answer ? toPortable(answer) : answer)),
  }
  return new HistoryError(evidence, finding)
}

/** One pass over the history while `newest` is the newest version. */
interface Round extends AuditSettings {
  readonly options: { readonly fresh: boolean; readonly signal?: AbortSignal }
  /** The head of the audit before. */
  readonly previous: KnownHead | undefined
  /** That one, and those of the rounds before. */
  readonly known: readonly KnownHead[]
  readonly newest: Verified<ReadData<'version'>>
  readonly seen: Set<string>
}

interface Found {
  readonly resources: readonly string[]
  readonly unavailable: readonly string[]
  /** Something that is not as the newest version says, if that still is the newest afterwards. */
  readonly contradiction?: HistoryFinding & { readonly answer: Answer }
}

async function auditOnce(round: Round): Promise<Found> {
  const { client, options, previous, newest, onProgress } = round
  await requireSuccession(round, newest)
  const computed = await hashOf(newest.data)
  if (computed !== newest.data.hash) {
    const { snapshotId: at, hash } = newest.data
    throw await historyError(client, 'BROKEN', [newest.answer], {
      at,
      expected: computed,
      found: hash,
    })
  }
  onProgress?.({ step: 'head', head: newest.data, keyId: newest.keyId })
  const index = await client.versions(options)
  const fault = indexFaultOf(index.data)
  if (fault !== undefined) throw await historyError(client, 'BROKEN', [index.answer], fault)
  const entries = entriesOf(index.data)
  if (entries[0]?.hash !== newest.data.hash) {
    const finding = {
      at: newest.data.snapshotId,
      expected: newest.data.hash,
      found: entries[0]?.hash ?? '',
    }
    return { resources: [], unavailable: [], contradiction: { answer: index.answer, ...finding } }
  }
  await requireSuccession(round, index)
  const isNew = ({ sequence }: VersionSummary) =>
    round.everyVersion === true || previous === undefined || sequence > previous.entry.sequence
  const toRead = entries.filter((entry) => isNew(entry) && !round.seen.has(entry.hash))
  onProgress?.({
    step: 'index',
    versions: entries,
    previousHead: previous?.entry,
    toRead: toRead.length,
    resources: Object.keys(newest.data.resources).length,
  })
  await checkEntries(round, index, toRead)
  return checkResources(round)
}

/** Whether an answer on the history goes on from all that was signed before. */
async function requireSuccession(
  { client, known }: Round,
  { data, answer }: Verified<unknown>,
): Promise<void> {
  const entries = entriesOf(data)
  const [head] = entries
  for (const { entry, keys, answer: before } of known) {
    const contradict = (fault: HistoryFault, finding: HistoryFinding) =>
      historyError(client, fault, [before, answer], finding, keys)
    if (head !== undefined && head.sequence < entry.sequence) {
      const { snapshotId } = entry
      throw await contradict('SHORTENED', {
        at: snapshotId,
        expected: snapshotId,
        found: head.snapshotId,
      })
    }
    const same = entries.find(({ sequence }) => sequence === entry.sequence)
    if (same !== undefined && same.hash !== entry.hash) {
      throw await contradict('REWRITTEN', {
        at: entry.snapshotId,
        expected: entry.hash,
        found: same.hash,
      })
    }
  }
}

/**
 * Recomputes the hashes of entries. Their signatures need no check while the hash is the one in the index, whose
 * signature was checked: no other entry has it. That is what makes ten thousand of them a matter of seconds.
 */
async function checkEntries(
  { client, options, concurrency = 24, signal, seen, onProgress }: Round,
  index: Verified<unknown>,
  summaries: readonly VersionSummary[],
): Promise<void> {
  const all = entriesOf(index.data)
  const decoder = new TextDecoder()
  const asked = signal === undefined ? {} : { signal }
  await forEachSome(summaries, concurrency, async (summary) => {
    const target = `${READ_PATHS.versions}/${summary.snapshotId}`
    const { body } = await client.getUnverified(target, asked)
    const previous = all[all.length - summary.sequence + 1]
    const isRight = await isEntry(decoder.decode(body), summary, previous)
    if (!isRight) await accuse(client, options, index, summary, previous)
    seen.add(summary.hash)
    onProgress?.({ step: 'version', version: summary })
  })
}

/** Whether the text is the envelope of the entry that the index speaks of. */
async function isEntry(
  text: string,
  summary: VersionSummary,
  previous: VersionSummary | undefined,
): Promise<boolean> {
  try {
    const { data } = JSON.parse(text) as { readonly data: VersionEntry }
    verifyLink(previous, data, await hashOf(data))
    return data.hash === summary.hash
  } catch {
    return false
  }
}

/** Finds out, by signed answers alone, in which way an entry is not what the index says; returns if it is after all. */
async function accuse(
  client: Client,
  options: ReadOptions,
  index: Verified<unknown>,
  summary: VersionSummary,
  previous: VersionSummary | undefined,
): Promise<void> {
  const { snapshotId } = summary
  const { data, answer } = await client.versionById(snapshotId, options)
  requireVersion(data)
  if (data.snapshotId !== snapshotId) {
    const finding = { at: snapshotId, expected: snapshotId, found: data.snapshotId }
    throw await historyError(client, 'BROKEN', [answer], finding)
  }
  const computed = await hashOf(data)
  if (computed !== data.hash) {
    const finding = { at: snapshotId, expected: computed, found: data.hash }
    throw await historyError(client, 'BROKEN', [answer], finding)
  }
  if (data.hash !== summary.hash) {
    const finding = { at: snapshotId, expected: summary.hash, found: data.hash }
    throw await historyError(client, 'REWRITTEN', [answer, index.answer], finding)
  }
  // The hashes are right, so the entry itself breaks a rule of the chain.
  verifyLink(previous, data, computed)
}

async function checkResources({
  client,
  options,
  newest,
  concurrency = 24,
  onProgress,
}: Round): Promise<Found> {
  const resources: string[] = []
  const unavailable: string[] = []
  let contradiction: Found['contradiction']
  await forEachSome(Object.entries(newest.data.resources), concurrency, async ([name, digest]) => {
    try {
      const { etag, answer } = await client.get(`${BASE_PATH}/${name}`, options)
      const expected = `W/"${digest}"`
      if (etag === expected) {
        resources.push(name)
        onProgress?.({ step: 'resource', name, isAvailable: true })
      } else contradiction ??= { answer, at: name, expected, found: etag }
    } catch (error) {
      const isGone = error instanceof ApiResponseError && error.code === 'SNAPSHOT_UNAVAILABLE'
      if (!isGone) throw error
      unavailable.push(name)
      onProgress?.({ step: 'resource', name, isAvailable: false })
    }
  })
  return { resources, unavailable, ...(contradiction === undefined ? {} : { contradiction }) }
}
