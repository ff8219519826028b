import { messageOf } from '#contract/errors/error-message'
import {
  formatSnapshotId,
  versionHashText,
  type VersionEntry,
  type VersionSummary,
} from '#contract/history/version-chain'
import { sha256Hex } from '#crypto'
import { platformFetch } from '#fetch'
import {
  ConnectionError,
  createConnection,
  type ConnectionLimits,
  type Fetch,
} from '../connection.ts'
import { forEachSome } from '../for-each-some.ts'
import { auditHistory, type AuditReport } from '../history/audit-history.ts'
import type { AuditOptions } from '../history/audit-options.ts'
import { publishedOf, toPortable } from '../portable-response.ts'
import { createArchiveClient, type ArchiveClient } from './archive-client.ts'
import { ForkError, verifyOneHistory } from './fork-evidence.ts'
import { type HashTree, treeOfEntries } from './hash-tree.ts'
import { LogError } from './log-error.ts'
import { createLagFailure, LaggingError, LogFinding } from './log-finding.ts'
import { type LogPolicy, signedOnly } from './log-policy.ts'
import { formatProof } from './log-proof.ts'
import { inclusionProof } from './merkle-tree.ts'
import { MAX_NOTE_BYTES } from './signed-note.ts'
import { verifyCheckpoint, type VerifiedCheckpoint } from './verify-checkpoint.ts'

/** A published version is in the log after the witnesses cosigned it, at the latest after this time. */
const MAX_PENDING_MS = 86_400_000
/** Concurrent requests. */
const CONCURRENCY = 24

/** Options of `auditHistoryWithLog`. */
export interface LogAuditOptions extends AuditOptions, Pick<ConnectionLimits, 'timeoutMs'> {
  /** Whom you trust about the log; never taken from the service itself. */
  readonly policy: LogPolicy
  /** URLs of copies to compare with. */
  readonly mirrors?: readonly string[]
  /** Reads the log and the copies. Default: the fetch of the platform. */
  readonly fetch?: Fetch
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * The log of one audit. `store` has the checkpoints of the last audit, one a log, and gets the newest known one, also if the
 * service lags.
 */
export interface LogAudit
  extends
    Omit<LogAuditOptions, 'now' | 'mirrors' | 'fetch'>,
    Required<Pick<LogAuditOptions, 'mirrors' | 'fetch'>> {
  /** All versions that the service signed, newest first. */
  readonly signed: readonly VersionSummary[]
  /** Milliseconds since 1970. */
  readonly nowMs: number
}

/** A copy of the log. */
export interface MirrorReport {
  /** Where it was read. */
  readonly url: string
  /** Number of versions in its checkpoint. */
  readonly size: number
}

/** What a witness says about the log. */
export interface WitnessReport {
  /** Its name in the policy. */
  readonly name: string
  /** Number of versions in the newest checkpoint that it cosigned; undefined if it does not offer it or respond. */
  readonly size: number | undefined
}

/** A log without findings. */
export interface LogReport {
  /** The newest checkpoint, which satisfies the policy. */
  readonly checkpoint: VerifiedCheckpoint
  /** Size at the last audit; undefined on the first audit of this log. */
  readonly previousSize: number | undefined
  /** Versions that are not in the log yet. */
  readonly pending: number
  /** The copies, each of one history with the log. */
  readonly mirrors: readonly MirrorReport[]
  /** The witnesses that the policy has an address of. */
  readonly witnesses: readonly WitnessReport[]
}

/** The saved checkpoint was not signed by a log of the policy, so nothing was compared with it. */
export class SavedCheckpointError extends Error {
  override readonly name = 'SavedCheckpointError'
}

/** Where a checkpoint was read. */
interface Source {
  readonly url: string
  readonly archive: ArchiveClient
  readonly checkpoint: VerifiedCheckpoint
}

/** Runs a check of what was read at a URL, which its error then names. */
async function namingUrl<Result>(url: string, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof LogError) || error instanceof ForkError) throw error
    throw new LogError(error.code, `${url}: ${error.message.slice(error.code.length + 2)}`)
  }
}

/** A `fetch` that ends with the audit. */
function fetchOf({ fetch: fetchOne, signal }: LogAudit): Fetch {
  return (to, init) =>
    fetchOne(to, {
      ...init,
      signal: signal === undefined ? init.signal : AbortSignal.any([init.signal, signal]),
    })
}

/**
 * Asks each witness for the newest checkpoint of a log that it cosigned (c2sp.org/tlog-witness). The log signed it, so it
 * counts even if the service withholds it. A witness that does not respond, does not offer this, or sends what the log did not
 * sign says nothing.
 */
async function askWitnesses(audit: LogAudit, origin: string) {
  const { policy, nowMs, timeoutMs } = audit
  const name = await sha256Hex(new TextEncoder().encode(origin))
  const limits = { ...(timeoutMs === undefined ? {} : { timeoutMs }), maxBodyBytes: MAX_NOTE_BYTES }
  const asked = policy.witnesses.map(async ({ name: witness, url }) => {
    if (url === undefined) return []
    const { origin: host, pathname, href } = new URL(`${name}/checkpoint`, url.replace(/\/*$/, '/'))
    try {
      const connection = createConnection(host, fetchOf(audit), limits)
      const { status, body } = await connection.send(pathname, {}, undefined)
      if (status !== 200) return [{ name: witness, checkpoint: undefined }]
      const note = new TextDecoder().decode(body)
      const checkpoint = await verifyCheckpoint({ note, policy: signedOnly(policy), nowMs })
      requireOrigin(origin, { url: href, checkpoint })
      return [{ name: witness, checkpoint }]
    } catch (error) {
      // Nor does what the log did not sign, such as the page of another host.
      if (!(error instanceof ConnectionError || error instanceof LogError)) throw error
      return [{ name: witness, checkpoint: undefined }]
    }
  })
  return (await Promise.all(asked)).flat()
}

/** Throws unless a checkpoint is of this log. */
function requireOrigin(
  origin: string,
  { url, checkpoint }: Pick<Source, 'url' | 'checkpoint'>,
): void {
  if (checkpoint.origin === origin) return
  throw new LogError('UNKNOWN_LOG', `${url}: expected log ${origin}, found ${checkpoint.origin}`)
}

async function openSource(url: string, policy: LogPolicy, audit: LogAudit): Promise<Source> {
  const { nowMs, timeoutMs } = audit
  const archive = createArchiveClient({
    base: url,
    policy,
    now: () => nowMs,
    fetch: fetchOf(audit),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  })
  return { url, archive, checkpoint: await namingUrl(url, () => archive.checkpoint()) }
}

/** The checkpoint of this log that the last audit saved. Throws if it is not signed, because it would accuse the log. */
async function openSaved(
  { policy, nowMs }: LogAudit,
  saved: readonly string[],
  origin: string,
): Promise<VerifiedCheckpoint | undefined> {
  const note = saved.find((each) => each.startsWith(`${origin}\n`))
  if (note === undefined) return undefined
  try {
    return await verifyCheckpoint({ note, policy: signedOnly(policy), nowMs })
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new SavedCheckpointError(
      `the checkpoint in the state file: ${error.message}; keep the lines of older log keys in the policy`,
      { cause: error },
    )
  }
}

/** Checks that a checkpoint is a prefix of another, with the tiles of the other. */
async function requirePrefix(earlier: VerifiedCheckpoint, newer: Source): Promise<void> {
  await namingUrl(newer.url, () => newer.archive.compare(earlier, newer.checkpoint))
}

/**
 * The tree of the oldest `size` versions, computed from what the API serves now; undefined if the API has fewer. Each entry
 * has the hash that the signed index lists.
 */
async function signedTree(
  { client, signed, signal }: LogAudit,
  size: number,
): Promise<HashTree | undefined> {
  if (signed.length < size) return undefined
  const oldest = signed.slice(-size)
  const entries = Array.from(oldest, () => '')
  await forEachSome(oldest, { concurrency: CONCURRENCY, signal }, async (listed) => {
    const { data } = await client.versionById(listed.snapshotId)
    entries[listed.sequence - 1] = versionHashText(data)
  })
  return treeOfEntries(entries)
}

/**
 * Checks that the log and its copies are prefixes of a larger tree that an earlier audit saw. They have no hashes of it, so
 * they come from the API. If the API does not have these versions any more, nothing can be compared.
 */
async function requirePrefixesOf(
  previous: VerifiedCheckpoint,
  sources: readonly Source[],
  audit: LogAudit,
): Promise<void> {
  const tree = await signedTree(audit, previous.size)
  if (tree === undefined) return
  for (const { checkpoint } of sources) {
    try {
      await verifyOneHistory(checkpoint.note, previous.note, tree)
    } catch (error) {
      // The API's versions are not those of the saved tree: later checks find that.
      if (!(error instanceof LogError && error.code === 'CONSISTENCY')) throw error
    }
  }
}

/**
 * Compares the service, the copies, and the checkpoints that are known without their files: each must be a prefix of the
 * largest. Resolves with the largest checkpoint; of one size, the last known one.
 */
async function requireOneHistory(
  service: Source,
  copies: readonly Source[],
  known: readonly VerifiedCheckpoint[],
  audit: LogAudit,
): Promise<VerifiedCheckpoint> {
  for (const copy of copies) requireOrigin(service.checkpoint.origin, copy)
  const sources = [service, ...copies]
  const [largest = service, ...rest] = sources.toSorted(
    (one, another) => another.checkpoint.size - one.checkpoint.size,
  )
  let newest = largest.checkpoint
  try {
    for (const { checkpoint } of rest) await requirePrefix(checkpoint, largest)
    for (const each of known) {
      if (each.size > largest.checkpoint.size) await requirePrefixesOf(each, sources, audit)
      else await requirePrefix(each, largest)
      if (each.size >= newest.size) newest = each
    }
  } catch (error) {
    if (!(error instanceof ForkError)) throw error
    throw new LogFinding('FORK', error.message, error.evidence)
  }
  return newest
}

/**
 * Throws if the log or the API of the service has fewer versions than the newest known tree: a LaggingError, or a
 * LogFinding (WITHHELD) if they were signed more than 10 minutes later.
 */
async function requireNewest(
  newest: VerifiedCheckpoint,
  { checkpoint }: Source,
  audit: LogAudit,
): Promise<void> {
  const { client, signed } = audit
  if (checkpoint.size < newest.size) {
    const detail = `the log at ${client.origin} has ${checkpoint.size} versions; ${newest.size} are known`
    const evidence = { checkpoint: newest.note, shown: checkpoint.note, keys: [] }
    throw await createLagFailure(detail, evidence, audit)
  }
  if (signed.length >= newest.size) return
  const { data, response } = await client.version({ fresh: true })
  const detail = `the API at ${client.origin} has ${data.sequence} versions, and its log ${newest.size}`
  const shown = toPortable(response)
  const keys = publishedOf(await client.keys())
  throw await createLagFailure(detail, { checkpoint: newest.note, shown, keys }, audit)
}

/** The offline proof of a version, computed from all entries: a log must not be able to withhold it. */
async function proofOf(
  versions: readonly VersionEntry[],
  index: number,
  { size, note }: VerifiedCheckpoint,
): Promise<string> {
  const entries = versions.map((version) => new TextEncoder().encode(versionHashText(version)))
  const tree = await treeOfEntries(entries)
  const hashes = await inclusionProof(tree, index, size)
  return formatProof({ entry: entries[index], index, hashes, note })
}

/** The contradiction between a version in the log and the signed one: with evidence, unless the service withholds it. */
async function mismatchOf(
  versions: readonly VersionEntry[],
  index: number,
  { client }: LogAudit,
  { checkpoint }: Source,
): Promise<LogFinding> {
  const snapshotId = formatSnapshotId(index + 1)
  const detail = `${snapshotId} in the log is another version than the one that the service signed`
  const withheld = (reason: string) =>
    new LogFinding('LOG_MISMATCH', `${detail}; without evidence: ${reason}`, undefined)
  try {
    const { data, response } = await client.versions({ fresh: true })
    const listed = data.entries.find(({ sequence }) => sequence === index + 1)
    if (listed === undefined || listed.hash === versions[index]?.hash) {
      return withheld('the service signs another history now')
    }
    return new LogFinding('LOG_MISMATCH', detail, {
      format: 'svc-log-mismatch-v1',
      proof: await proofOf(versions, index, checkpoint),
      keys: publishedOf(await client.keys()),
      response: toPortable(response),
    })
  } catch (error) {
    return withheld(messageOf(error))
  }
}

/** Compares the versions in the log with the signed history. Resolves with the number that the log lacks. */
async function requireSameVersions(audit: LogAudit, service: Source): Promise<number> {
  const { signed, nowMs } = audit
  const { size } = service.checkpoint
  const { versions } = await namingUrl(service.url, async () => {
    try {
      return await service.archive.history(service.checkpoint)
    } catch (error) {
      if (!(error instanceof LogError && error.code === 'INCLUSION')) throw error
      throw new LogError('LOG_MISMATCH', error.message)
    }
  })
  const oldestFirst = signed.toReversed()
  const at = versions.findIndex(({ hash }, index) => {
    const listed = oldestFirst[index]
    return listed !== undefined && listed.hash !== hash
  })
  if (at !== -1) throw await mismatchOf(versions, at, audit, service)
  const first = oldestFirst[size]
  if (first === undefined) return 0
  // A date in the future must not hide a version from the log.
  const ageMs = Math.abs(nowMs - Date.parse(first.createdAt))
  if (ageMs < MAX_PENDING_MS) return oldestFirst.length - size
  throw new LogFinding(
    'LOG_MISMATCH',
    `${formatSnapshotId(size + 1)} of ${first.createdAt} is not in the log, which has ${size} versions; expected it within 24 hours`,
    undefined,
  )
}

/**
 * Checks the log of an audited history, and saves its newest checkpoint. Throws like `auditHistoryWithLog`, but for the
 * history.
 */
export async function auditLog(audit: LogAudit): Promise<LogReport> {
  const { client, policy, mirrors, store } = audit
  const service = await openSource(client.origin, policy, audit)
  const copies: Source[] = []
  for (const url of mirrors) copies.push(await openSource(url, signedOnly(policy), audit))
  const { checkpoint } = service
  const { origin } = checkpoint
  const head = await store?.load()
  const { checkpoints = [] } = head ?? {}
  const save = async ({ note }: VerifiedCheckpoint): Promise<void> => {
    const others = checkpoints.filter((each) => !each.startsWith(`${origin}\n`))
    if (head !== undefined) await store?.save({ ...head, checkpoints: [...others, note] })
  }
  const previous = await openSaved(audit, checkpoints, origin)
  const witnesses = await askWitnesses(audit, origin)
  // The one of the last audit comes last: it is the earliest, so it proves the most.
  const known = [...witnesses.map((each) => each.checkpoint), previous].flatMap(
    (each) => each ?? [],
  )
  const newest = await requireOneHistory(service, copies, known, audit)
  const pending = await requireSameVersions(audit, service)
  try {
    await requireNewest(newest, service, audit)
  } catch (error) {
    // The next audit must know of the larger tree.
    if (error instanceof LaggingError) await save(newest)
    throw error
  }
  await save(checkpoint)
  return {
    checkpoint,
    previousSize: previous?.size,
    pending,
    mirrors: copies.map(({ url, checkpoint: { size } }) => ({ url, size })),
    witnesses: witnesses.map((each) => ({ name: each.name, size: each.checkpoint?.size })),
  }
}

/** A history and a log without contradictions. */
export interface LogAuditReport extends AuditReport {
  /** The log. */
  readonly log: LogReport
}

/**
 * Audits the history, and its transparency log by a policy: the newest checkpoint is cosigned and fresh, it extends the
 * one of the last audit, it is of one history with each copy, and it has the versions that the service signed. Throws
 * like `auditHistory`, and a LogFinding for a log that contradicts itself or the history or a service that withholds versions,
 * a LaggingError for one that may, a LogError or a ChainError for
 * what must not be trusted, a SavedCheckpointError, or a ConnectionError.
 *
 * @example
 * ```ts
 * const policy = await openPolicy(await readFile('policy', 'utf8'))
 * const { head, log } = await auditHistoryWithLog({ client, store, policy })
 * ```
 */
export async function auditHistoryWithLog(options: LogAuditOptions): Promise<LogAuditReport> {
  const { mirrors = [], fetch = platformFetch, now = Date.now } = options
  let signed: readonly VersionSummary[] = []
  const report = await auditHistory({
    ...options,
    onProgress(progress) {
      if (progress.step === 'index') signed = progress.versions
      options.onProgress?.(progress)
    },
  })
  const log = await auditLog({ ...options, mirrors, fetch, signed, nowMs: now() })
  return { ...report, log }
}
