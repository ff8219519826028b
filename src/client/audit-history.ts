import { BASE_PATH } from '../contract/api-version.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { verifyLink, type VersionEntry, type VersionSummary } from '../contract/version-chain.ts'
import { ApiResponseError } from './api-response-error.ts'
import type { Client, ReadData, Verified } from './client.ts'
import type { HeadStore } from './head-store.ts'
import {
  entriesOf,
  hashOf,
  HISTORY_FAULTS,
  indexFaultOf,
  type HistoryEvidence,
  type HistoryFault,
} from './history-evidence.ts'
import { publishedOf, toPortable, verifyPortable, type PortableAnswer } from './portable-answer.ts'
import type { PublishedKey } from './verification-key.ts'
import type { Answer } from './verify-response.ts'

/** The service signed things that cannot all be true; `evidence` lets anyone check that (`verifyEvidence`). */
export class HistoryError extends Error {
  readonly code: HistoryFault
  /** JSON: keep it, it is the only proof. */
  readonly evidence: HistoryEvidence

  constructor(evidence: HistoryEvidence, detail: string) {
    super(`${evidence.fault}: ${HISTORY_FAULTS[evidence.fault]} (${detail})`)
    this.name = 'HistoryError'
    this.code = evidence.fault
    this.evidence = evidence
  }
}

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

/** Runs `work` on every item, some at a time. The first failure ends it. */
async function forEachSome<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of rest) await work(item)
    }),
  )
}

/**
 * Recomputes the history: every version not seen before against its hash, the hashes against each other and against
 * the head of the last audit, and what is served now against the newest version. Throws a HistoryError with evidence
 * where the service contradicts itself; a VerificationError, an ApiResponseError or a ConnectionError where it could
 * not be asked. The head is saved only when all is well.
 */
export async function auditHistory(settings: AuditSettings): Promise<AuditReport> {
  const { client, store, signal } = settings
  const options = { fresh: true, ...(signal === undefined ? {} : { signal }) }
  const saved = await store?.load()
  const previous = saved === undefined ? undefined : await readHead(saved)
  /** Hashes of the entries that were recomputed. */
  const seen = new Set<string>()
  let known = previous
  let newest = await client.version(options)
  for (let round = 1; ; round += 1) {
    const found = await auditOnce({ ...settings, options, known, newest, seen })
    const after = await client.version(options)
    const isSameHead = after.data.hash === newest.data.hash
    if (isSameHead && found.contradiction !== undefined) {
      const { answer, detail } = found.contradiction
      const answers = [newest.answer, answer, after.answer]
      throw await historyError(client, 'INCONSISTENT', answers, detail)
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
      throw new Error(`The newest version was another one after each of ${MAX_ROUNDS} rounds`)
    }
    known = await knownOf(client, newest)
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
  detail: string,
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
  return new HistoryError(evidence, detail)
}

/** One pass over the history while `newest` is the newest version. */
interface Round extends AuditSettings {
  readonly options: { readonly fresh: boolean; readonly signal?: AbortSignal }
  readonly known: KnownHead | undefined
  readonly newest: Verified<ReadData<'version'>>
  readonly seen: Set<string>
}

interface Found {
  readonly resources: readonly string[]
  readonly unavailable: readonly string[]
  /** Something that is not as the newest version says, if that still is the newest afterwards. */
  readonly contradiction?: { readonly answer: Answer; readonly detail: string }
}

async function auditOnce(round: Round): Promise<Found> {
  const { client, options, known, newest } = round
  await requireSuccession(round, newest)
  const computed = await hashOf(newest.data)
  if (computed !== newest.data.hash) {
    const detail = `the newest version says ${newest.data.hash} and has ${computed}`
    throw await historyError(client, 'BROKEN', [newest.answer], detail)
  }
  const index = await client.versions(options)
  const fault = indexFaultOf(index.data)
  if (fault !== undefined) throw await historyError(client, 'BROKEN', [index.answer], fault)
  const entries = entriesOf(index.data)
  if (entries[0]?.hash !== newest.data.hash) {
    const detail = `the index has the head ${entries[0]?.snapshotId}`
    return { resources: [], unavailable: [], contradiction: { answer: index.answer, detail } }
  }
  await requireSuccession(round, index)
  const isNew = ({ sequence }: VersionSummary) =>
    round.everyVersion === true || known === undefined || sequence > known.entry.sequence
  await checkEntries(round, index, entries.filter(isNew))
  return checkResources(round)
}

/** Whether an answer on the history goes on from the head that was signed before. */
async function requireSuccession(
  { client, known }: Round,
  { data, answer }: Verified<unknown>,
): Promise<void> {
  if (known === undefined) return
  const { entry, keys } = known
  const entries = entriesOf(data)
  const [head] = entries
  const contradict = (fault: HistoryFault, detail: string) =>
    historyError(client, fault, [known.answer, answer], detail, keys)
  if (head !== undefined && head.sequence < entry.sequence) {
    throw await contradict(
      'SHORTENED',
      `${entry.snapshotId} was signed, now ends with ${head.snapshotId}`,
    )
  }
  const same = entries.find(({ sequence }) => sequence === entry.sequence)
  if (same !== undefined && same.hash !== entry.hash) {
    throw await contradict('REWRITTEN', `${entry.snapshotId} was ${entry.hash}, now ${same.hash}`)
  }
}

/**
 * Recomputes the hashes of entries. Their signatures need no check while the hash is the one in the index, whose
 * signature was checked: no other entry has it. That is what makes ten thousand of them a matter of seconds.
 */
async function checkEntries(
  { client, concurrency = 24, signal, seen }: Round,
  index: Verified<unknown>,
  summaries: readonly VersionSummary[],
): Promise<void> {
  const all = entriesOf(index.data)
  const decoder = new TextDecoder()
  const asked = signal === undefined ? {} : { signal }
  const missing = summaries.filter(({ hash }) => !seen.has(hash))
  await forEachSome(missing, concurrency, async (summary) => {
    const target = `${READ_PATHS.versions}/${summary.snapshotId}`
    const { body } = await client.getUnverified(target, asked)
    const previous = all[all.length - summary.sequence + 1]
    const isRight = await isEntry(decoder.decode(body), summary, previous)
    if (!isRight) await accuse(client, index, summary, previous)
    seen.add(summary.hash)
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
  index: Verified<unknown>,
  summary: VersionSummary,
  previous: VersionSummary | undefined,
): Promise<void> {
  const { snapshotId } = summary
  const { data, answer } = await client.versionById(snapshotId, { fresh: true })
  const computed = await hashOf(data)
  if (computed !== data.hash) {
    const detail = `${snapshotId} says ${data.hash} and has ${computed}`
    throw await historyError(client, 'BROKEN', [answer], detail)
  }
  if (data.hash !== summary.hash) {
    const detail = `${snapshotId} is ${data.hash}, in the index ${summary.hash}`
    throw await historyError(client, 'REWRITTEN', [answer, index.answer], detail)
  }
  // The hashes are right, so the entry itself breaks a rule of the chain.
  verifyLink(previous, data, computed)
}

async function checkResources({
  client,
  options,
  newest,
  concurrency = 24,
}: Round): Promise<Found> {
  const resources: string[] = []
  const unavailable: string[] = []
  let contradiction: Found['contradiction']
  await forEachSome(Object.entries(newest.data.resources), concurrency, async ([name, digest]) => {
    try {
      const { etag, answer } = await client.get(`${BASE_PATH}/${name}`, options)
      if (etag === `W/"${digest}"`) resources.push(name)
      else contradiction ??= { answer, detail: `${name} is served with another digest` }
    } catch (error) {
      const isGone = error instanceof ApiResponseError && error.code === 'SNAPSHOT_UNAVAILABLE'
      if (!isGone) throw error
      unavailable.push(name)
    }
  })
  return { resources, unavailable, ...(contradiction === undefined ? {} : { contradiction }) }
}
