import { rmSync } from 'node:fs'
import path from 'node:path'
import {
  isLineOf,
  parseSignedCheckpoint,
  type SignedCheckpoint,
} from '@public-api/client-internal/log/checkpoint'
import { LogError } from '@public-api/client-internal/log/log-error'
import type { LogPolicy, PolicyWitness } from '@public-api/client-internal/log/log-policy'
import { equalHashes, rootOf } from '@public-api/client-internal/log/merkle-tree'
import { formatSignatureLine } from '@public-api/client-internal/log/signed-note'
import {
  verifyCheckpoint,
  type VerifiedCheckpoint,
} from '@public-api/client-internal/log/verify-checkpoint'
import { syncFolder } from '@public-api/client-internal/node/durable-file'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { TlogError } from '../tlog-error.ts'
import { readTlogFile, tlogFolder, writeTlogFile } from '../tlog-files.ts'
import { askWitness, type WitnessFetch, type WitnessOutcome } from './ask-witness.ts'
import { readPolicy, requireOrigin, treeOfVersions, withLogFilesLock } from './published-log.ts'

/** Publishing waits at most this long for all witnesses together. */
const WITNESS_TIMEOUT_MS = 10_000
const FIRST_BACKOFF_MS = 60_000
const MAX_BACKOFF_MS = 3_600_000

/** What is remembered of a witness between runs, by its verifier key. */
interface WitnessMemory {
  /** Size of the tree that it last cosigned. */
  readonly size: number
  readonly outcome: WitnessOutcome['kind']
  readonly detail: string
  /** Milliseconds since 1970. */
  readonly askedAtMs: number
  /** Failures in a row. */
  readonly failures: number
}

/** The log after its witnesses were asked. */
export type CosignReport = Awaited<ReturnType<typeof cosignLog>>

function readMemory(releasesDir: string): ReadonlyMap<string, WitnessMemory> {
  const value = parseJson(readTlogFile(releasesDir, 'witnesses.json') ?? '{}')
  const memory = new Map<string, WitnessMemory>()
  if (typeof value !== 'object' || value === null) return memory
  for (const [vkey, each] of Object.entries(value)) {
    const [size, askedAtMs] = [propertyOf(each, 'size'), propertyOf(each, 'askedAtMs')]
    // A hint only: an unusable file costs one more request.
    if (!Number.isSafeInteger(size) || typeof askedAtMs !== 'number') continue
    memory.set(vkey, each as WitnessMemory)
  }
  return memory
}

/** The note with the newest line of each witness. `lines` are verified. */
function addLines(
  { text, signatures }: SignedCheckpoint,
  witnesses: readonly PolicyWitness[],
  lines: ReadonlyMap<PolicyWitness, string>,
): string {
  const kept = signatures.filter(
    (line) => !witnesses.some((each) => lines.has(each) && isLineOf(each.key, line)),
  )
  const old = kept.map(({ name, keyId, signature }) => formatSignatureLine(name, keyId, signature))
  return `${text}\n${[...old, ...lines.values()].join('')}`
}

/** The checkpoint as verified by the operator's policy at any age; undefined if it does not satisfy it. */
async function satisfiedBy(
  note: string,
  policy: LogPolicy,
  nowMs: number,
): Promise<VerifiedCheckpoint | undefined> {
  try {
    return await verifyCheckpoint({ note, policy, nowMs, maxAgeSeconds: Infinity })
  } catch (error) {
    if (error instanceof LogError && error.code === 'UNWITNESSED') return undefined
    if (error instanceof LogError) throw new TlogError('INVALID', error.message, error)
    throw error
  }
}

/** The cosignatures of a note that count by a policy, whether or not they are enough. */
async function cosignaturesOf(note: string, policy: LogPolicy, nowMs: number) {
  const counted = { ...policy, quorum: 'none' }
  return (await satisfiedBy(note, counted, nowMs))?.cosignatures ?? []
}

/**
 * Adds lines to the signed checkpoint, and serves it if it satisfies the policy. The files are read again, because
 * another process may have added lines to the same checkpoint, signed a larger one, or served it: the served one never
 * becomes smaller.
 */
async function storeLines(given: {
  readonly releasesDir: string
  readonly nowMs: number
  readonly policy: LogPolicy
  readonly checkpoint: SignedCheckpoint
  readonly lines: ReadonlyMap<PolicyWitness, string>
}) {
  const { releasesDir, nowMs, policy, checkpoint, lines } = given
  const read = (name: 'pending' | 'checkpoint') => {
    const note = readTlogFile(releasesDir, name)
    return note === undefined ? undefined : { note, parsed: parseChecked(note, checkpoint.origin) }
  }
  const [pending, served] = [read('pending'), read('checkpoint')]
  const known = [pending, served].find((each) => each?.parsed.text === checkpoint.text)
  const cosigned = addLines(known?.parsed ?? checkpoint, policy.witnesses, lines)
  const isMet = (await satisfiedBy(cosigned, policy, nowMs)) !== undefined
  const { size } = checkpoint
  const servedSize = served?.parsed.size ?? 0
  if (size < servedSize) return { cosigned, isMet, servedSize }
  if (isMet) {
    if (cosigned !== served?.note) writeTlogFile(releasesDir, 'checkpoint', cosigned)
    if (pending !== undefined && pending.parsed.size <= size) removePending(releasesDir)
  } else if (pending === undefined || (pending === known && cosigned !== pending.note)) {
    writeTlogFile(releasesDir, 'pending', cosigned)
  }
  return { cosigned, isMet, servedSize: isMet ? size : servedSize }
}

/** Options of `cosignLog`. */
export interface CosignOptions {
  readonly releasesDir: string
  readonly nowMs: number
  /** Which witnesses are asked. `due`: all but those whose failure is recent. */
  readonly asks: 'all' | 'due' | 'none'
  readonly fetch?: WitnessFetch
  readonly timeoutMs?: number
}

function backoffMs(failures: number): number {
  return Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), MAX_BACKOFF_MS)
}

/**
 * Asks every witness of the operator's policy to cosign the newest signed tree, all at once. The served checkpoint is
 * replaced only by one that satisfies the policy. Needs no key. Throws a TlogError.
 */
export async function cosignLog(
  options: CosignOptions,
  readVersions: () => readonly VersionEntry[],
) {
  const { releasesDir, nowMs, asks, timeoutMs = WITNESS_TIMEOUT_MS } = options
  const fetchOne: WitnessFetch = options.fetch ?? ((url, init) => fetch(url, init))
  const origin = requireOrigin(releasesDir)
  const policy = await readPolicy(releasesDir)
  const note = readTlogFile(releasesDir, 'pending') ?? readTlogFile(releasesDir, 'checkpoint')
  if (note === undefined) {
    throw new TlogError('LOG_FILE', `${tlogFolder(releasesDir)} has no checkpoint; publish first`)
  }
  const checkpoint = parseChecked(note, origin)
  const { size } = checkpoint
  // Read after the checkpoint, which another process may have just signed.
  const versions = readVersions()
  const tree = await treeOfVersions(versions.slice(0, size))
  if (tree.size !== size || !equalHashes(await rootOf(tree, size), checkpoint.root)) {
    const found = `the signed tree of ${size} is not that of the ${versions.length} versions`
    throw new TlogError('BEHIND', `${found}; restore the versions that were published`)
  }

  const memory = readMemory(releasesDir)
  const signal = AbortSignal.timeout(timeoutMs)
  const outcomes = await Promise.all(
    policy.witnesses.map(async (witness): Promise<WitnessOutcome> => {
      if (asks === 'none') return { kind: 'skipped', detail: 'not asked, as --no-witnesses says' }
      if (witness.url === undefined) {
        return { kind: 'skipped', detail: 'the policy states no URL for it' }
      }
      const known = memory.get(witness.key.vkey)
      const waitsUntilMs = (known?.askedAtMs ?? 0) + backoffMs(known?.failures ?? 0)
      if (asks === 'due' && (known?.failures ?? 0) > 0 && nowMs < waitsUntilMs) {
        const detail = `${known?.detail}; it is asked again by svc tlog cosign`
        return { kind: 'skipped', detail }
      }
      return askWitness(witness, { note, checkpoint, tree }, known?.size ?? 0, fetchOne, signal)
    }),
  )

  const lines = new Map<PolicyWitness, string>()
  const next = new Map<string, WitnessMemory>()
  for (const [index, witness] of policy.witnesses.entries()) {
    const outcome = outcomes[index]
    const known = memory.get(witness.key.vkey)
    if (outcome === undefined) continue
    if (outcome.kind === 'cosigned') lines.set(witness, outcome.line)
    if (outcome.kind === 'skipped') {
      if (known !== undefined) next.set(witness.key.vkey, known)
      continue
    }
    next.set(witness.key.vkey, {
      size: outcome.kind === 'cosigned' ? size : (known?.size ?? 0),
      outcome: outcome.kind,
      detail: outcome.kind === 'cosigned' ? '' : outcome.detail,
      askedAtMs: nowMs,
      failures: outcome.kind === 'cosigned' ? 0 : (known?.failures ?? 0) + 1,
    })
  }
  const { cosigned, isMet, servedSize } = await withLogFilesLock(releasesDir, async () => {
    if (policy.witnesses.length > 0) {
      const text = `${JSON.stringify(Object.fromEntries(next), undefined, 2)}\n`
      writeTlogFile(releasesDir, 'witnesses.json', text)
    }
    return storeLines({ releasesDir, nowMs, policy, checkpoint, lines })
  })
  const times = await cosignaturesOf(cosigned, policy, nowMs)
  return {
    origin,
    /** Size of the newest signed tree. */
    size,
    /** Size of the served one. */
    servedSize,
    /** Whether the newest signed tree satisfies the operator's policy, and is therefore served. */
    isMet,
    witnesses: policy.witnesses.map(({ name }, index) => {
      const outcome = outcomes[index] ?? { kind: 'skipped', detail: '' }
      return reportOf(name, outcome.kind, 'detail' in outcome ? outcome.detail : '', times)
    }),
  }
}

/** The result of asking one witness. */
function reportOf(
  name: string,
  outcome: WitnessOutcome['kind'],
  detail: string,
  times: VerifiedCheckpoint['cosignatures'],
) {
  const atMs = times.find(({ witness }) => witness === name)?.atMs
  return {
    name,
    outcome,
    detail,
    /** Its newest cosignature of the newest checkpoint, ISO 8601; null if it has none. */
    cosignedAt: atMs === undefined ? null : formatTime(atMs),
  }
}

/** A witness may state any time. */
function formatTime(atMs: number): string | null {
  return Math.abs(atMs) <= 8.64e15 ? new Date(atMs).toISOString() : null
}

function parseChecked(note: string, origin: string): SignedCheckpoint {
  try {
    const checkpoint = parseSignedCheckpoint(note)
    if (checkpoint.origin === origin) return checkpoint
    throw new TlogError('LOG_FILE', `the checkpoint, line 1: expected ${origin}, as in log/origin`)
  } catch (error) {
    if (error instanceof LogError) throw new TlogError('LOG_FILE', error.message, error)
    throw error
  }
}

function removePending(releasesDir: string): void {
  const folder = tlogFolder(releasesDir)
  rmSync(path.join(folder, 'pending'), { force: true })
  syncFolder(folder)
}

/** Reads the state of the log from its files; nothing is asked. Throws a TlogError. */
export async function readLogStatus(releasesDir: string, versionCount: number, nowMs: number) {
  const origin = requireOrigin(releasesDir)
  const policy = await readPolicy(releasesDir)
  const served = readTlogFile(releasesDir, 'checkpoint')
  const newest = readTlogFile(releasesDir, 'pending') ?? served
  const head = newest === undefined ? undefined : parseChecked(newest, origin)
  const met = served === undefined ? undefined : await satisfiedBy(served, policy, nowMs)
  const servedSize = served === undefined ? 0 : parseChecked(served, origin).size
  const times = served === undefined ? [] : await cosignaturesOf(served, policy, nowMs)
  const memory = readMemory(releasesDir)
  return {
    origin,
    size: head?.size ?? 0,
    /** Of the newest signed tree, base64. */
    root: Buffer.from(head?.root ?? []).toString('base64'),
    servedSize,
    /** Whether the served checkpoint satisfies the operator's policy. */
    isMet: met !== undefined,
    /** When the quorum cosigned the served checkpoint, ISO 8601; null without witnesses or quorum. */
    witnessedAt: met?.witnessedAtMs === undefined ? null : formatTime(met.witnessedAtMs),
    /** Published versions that the served checkpoint does not contain. */
    pendingVersions: versionCount - servedSize,
    witnesses: policy.witnesses.map(({ name, key }) => {
      const known = memory.get(key.vkey)
      const report = reportOf(
        name,
        known?.outcome ?? 'skipped',
        known?.detail ?? 'not asked yet',
        times,
      )
      return { ...report, askedAt: known === undefined ? null : formatTime(known.askedAtMs) }
    }),
  }
}
