import type { Client } from '@public-api/client-source/client'
import {
  createArchiveClient,
  type ArchiveClient,
} from '@public-api/client-source/log/archive-client'
import { ForkError, type ForkEvidence } from '@public-api/client-source/log/fork-evidence'
import { createHashTree } from '@public-api/client-source/log/hash-tree'
import { LogError } from '@public-api/client-source/log/log-error'
import type { LogPolicy } from '@public-api/client-source/log/log-policy'
import { formatProof } from '@public-api/client-source/log/log-proof'
import { hashLeaf, inclusionProof } from '@public-api/client-source/log/merkle-tree'
import {
  verifyCheckpoint,
  type VerifiedCheckpoint,
} from '@public-api/client-source/log/verify-checkpoint'
import { publishedOf, toPortable } from '@public-api/client-source/portable-response'
import { CommandFailure, EXIT_CODES } from '@public-api/command/command'
import {
  formatSnapshotId,
  versionHashText,
  type VersionEntry,
  type VersionSummary,
} from '@public-api/contract/history/version-chain'
import { messageOf } from '@public-api/contract/errors/error-message'
import { withLogErrors } from '../log/log-inputs.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import type { LogMismatch } from './log-mismatch.ts'

/** A published version is in the log after the witnesses cosigned it, at the latest after this time. */
const MAX_PENDING_MS = 86_400_000

/** The log of one audit. */
export interface LogAudit {
  readonly client: Client
  /** All versions that the service signed, newest first. */
  readonly signed: readonly VersionSummary[]
  readonly policy: LogPolicy
  /** URLs of copies. */
  readonly mirrors: readonly string[]
  /** The checkpoints of the last audit, one a log. */
  readonly saved: readonly string[]
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly nowMs: number
}

/** A log without findings. */
export interface LogReport {
  readonly checkpoint: VerifiedCheckpoint
  /** Size at the last audit; undefined on the first audit of this log. */
  readonly previousSize: number | undefined
  /** Versions that are not in the log yet. */
  readonly pending: number
  readonly mirrors: readonly { readonly url: string; readonly size: number }[]
  /** The checkpoints for the next audit, one a log. */
  readonly toSave: readonly string[]
}

/** The log contradicts itself or the history. Anyone can check `evidence`. */
export class LogFinding extends Error {
  readonly code: 'FORK' | 'LOG_MISMATCH'
  readonly evidence: ForkEvidence | LogMismatch

  constructor(code: LogFinding['code'], detail: string, evidence: LogFinding['evidence']) {
    super(detail.startsWith(code) ? detail : `${code}: ${detail}`)
    this.name = 'LogFinding'
    this.code = code
    this.evidence = evidence
  }
}

/** Where a checkpoint was read. */
interface Source {
  readonly url: string
  readonly archive: ArchiveClient
  readonly checkpoint: VerifiedCheckpoint
}

/** Copies and earlier checkpoints may be old: only the log's signature counts. */
const signedOnly = (policy: LogPolicy): LogPolicy => ({ ...policy, quorum: 'none' })

async function openSource(url: string, policy: LogPolicy, audit: LogAudit): Promise<Source> {
  const { nowMs, timeoutMs, signal } = audit
  const archive = createArchiveClient({
    base: url,
    policy,
    timeoutMs,
    now: () => nowMs,
    fetch: (target, init) =>
      fetch(target, { ...init, signal: AbortSignal.any([init.signal, signal]) }),
  })
  return { url, archive, checkpoint: await withLogErrors(() => archive.checkpoint(), url) }
}

/** The checkpoint of this log that the last audit saved. Throws if it is not signed, because it would accuse the log. */
async function openSaved(
  { policy, saved, nowMs }: LogAudit,
  origin: string,
): Promise<VerifiedCheckpoint | undefined> {
  const note = saved.find((each) => each.startsWith(`${origin}\n`))
  if (note === undefined) return undefined
  try {
    return await verifyCheckpoint({ note, policy: signedOnly(policy), nowMs })
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    throw new CommandFailure(
      'STATE',
      `the checkpoint in the state file: ${sanitizeForTerminal(error.message, 400)}; keep the lines of older log keys in the policy, or give another --state file`,
      { exitCode: EXIT_CODES.usage },
    )
  }
}

/** Checks that a checkpoint is a prefix of another, with the tiles of the other. */
async function requirePrefix(earlier: VerifiedCheckpoint, newer: Source): Promise<void> {
  await withLogErrors(async () => {
    try {
      await newer.archive.compare(earlier, newer.checkpoint)
    } catch (error) {
      if (!(error instanceof ForkError)) throw error
      throw new LogFinding('FORK', error.message, error.evidence)
    }
  }, newer.url)
}

/** Compares the service, the copies and the last audit: each must be a prefix of the largest. */
async function requireOneHistory(
  service: Source,
  copies: readonly Source[],
  previous: VerifiedCheckpoint | undefined,
): Promise<void> {
  const { origin, size } = service.checkpoint
  const other = copies.find(({ checkpoint }) => checkpoint.origin !== origin)
  if (other !== undefined) {
    const found = sanitizeForTerminal(other.checkpoint.origin, 200)
    throw new CommandFailure('UNKNOWN_LOG', `${other.url}: expected log ${origin}, found ${found}`)
  }
  const sources = [service, ...copies]
  const [largest = service, ...rest] = sources.toSorted(
    (one, another) => another.checkpoint.size - one.checkpoint.size,
  )
  const known = rest.map(({ checkpoint }) => checkpoint)
  if (previous !== undefined && previous.size <= largest.checkpoint.size) known.push(previous)
  for (const checkpoint of known) await requirePrefix(checkpoint, largest)
  if (previous === undefined || previous.size <= size) return
  throw new CommandFailure(
    'FORK',
    `the log had ${previous.size} versions at the last audit, now it has ${size}. The state file keeps the larger checkpoint; audit again, and ask the operator for the tiles of the tree of ${previous.size}`,
  )
}

/** The offline proof of a version, computed from all entries: a log must not be able to withhold it. */
async function proofOf(
  versions: readonly VersionEntry[],
  index: number,
  { size, note }: VerifiedCheckpoint,
): Promise<string> {
  const entries = versions.map((version) => Buffer.from(versionHashText(version)))
  const tree = await createHashTree(Buffer.concat(await Promise.all(entries.map(hashLeaf))))
  const hashes = await inclusionProof(tree, index, size)
  return formatProof({ entry: entries[index], index, hashes, note })
}

/** The contradiction between a version in the log and the signed one: with evidence, unless the service withholds it. */
async function mismatchOf(
  versions: readonly VersionEntry[],
  index: number,
  { client }: LogAudit,
  { checkpoint }: Source,
): Promise<LogFinding | CommandFailure> {
  const snapshotId = formatSnapshotId(index + 1)
  const detail = `${snapshotId} in the log is another version than the one that the service signed`
  const withheld = (reason: string) =>
    new CommandFailure('LOG_MISMATCH', `${detail}; without evidence: ${reason}`)
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
    return withheld(sanitizeForTerminal(messageOf(error), 400))
  }
}

/** Compares the versions in the log with the signed history. Resolves with the number that the log lacks. */
async function requireSameVersions(audit: LogAudit, service: Source): Promise<number> {
  const { signed, nowMs } = audit
  const { size } = service.checkpoint
  const { versions } = await withLogErrors(async () => {
    try {
      return await service.archive.history(service.checkpoint)
    } catch (error) {
      if (!(error instanceof LogError && error.code === 'INCLUSION')) throw error
      throw new LogError('LOG_MISMATCH', error.message)
    }
  }, service.url)
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
  throw new CommandFailure(
    'LOG_MISMATCH',
    `${formatSnapshotId(size + 1)} of ${sanitizeForTerminal(first.createdAt, 40)} is not in the log, which has ${size} versions; expected it within 24 hours`,
  )
}

/**
 * Checks the log of an audited history: the checkpoint by the policy, its consistency with the last audit and with
 * copies, and its versions against the signed history. Throws a LogFinding with evidence, or a CommandFailure.
 */
export async function auditLog(audit: LogAudit): Promise<LogReport> {
  const { client, policy, mirrors, saved } = audit
  const service = await openSource(client.origin, policy, audit)
  const copies: Source[] = []
  for (const url of mirrors) copies.push(await openSource(url, signedOnly(policy), audit))
  const { checkpoint } = service
  const { origin } = checkpoint
  const previous = await openSaved(audit, origin)
  await requireOneHistory(service, copies, previous)
  const pending = await requireSameVersions(audit, service)
  return {
    checkpoint,
    previousSize: previous?.size,
    pending,
    mirrors: copies.map(({ url, checkpoint: { size } }) => ({ url, size })),
    toSave: [...saved.filter((note) => !note.startsWith(`${origin}\n`)), checkpoint.note],
  }
}
