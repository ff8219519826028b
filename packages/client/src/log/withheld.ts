import { EvidenceError } from '../history/history-evidence.ts'
import { ROLLOUT_MS } from '../history/history-proofs.ts'
import { verifyStatements, versionsIn } from '../history/history-statement.ts'
import { isKeyList, isPortable, type PortableResponse } from '../portable-response.ts'
import { MAX_KEYS } from '../signing-keys.ts'
import type { PublishedKey } from '../verification-key.ts'
import { LogError } from './log-error.ts'
import type { LogPolicy } from './log-policy.ts'
import { verifyCheckpoint, type VerifiedCheckpoint } from './verify-checkpoint.ts'

/**
 * A signed checkpoint, and what its log or its service signed about fewer versions, as JSON. It proves that versions were
 * withheld if the latter was signed more than 10 minutes after the former.
 */
export interface WithheldEvidence {
  /** Name of this format. */
  readonly format: 'svc-withheld-v1'
  /** The signed checkpoint of the larger tree. */
  readonly checkpoint: string
  /** A signed checkpoint of a smaller tree, or a response with an older newest version. */
  readonly shown: string | PortableResponse
  /** The keys that may have signed the response. */
  readonly keys: readonly PublishedKey[]
}

/** What a third party trusts. */
export interface WithheldTrust {
  /** Whose log. */
  readonly policy: LogPolicy
  /** Whose responses; undefined accepts the keys of the evidence. Evidence of a checkpoint alone does not need it. */
  readonly pinnedKeyIds: readonly string[] | undefined
  /** Your clock, in milliseconds since 1970. */
  readonly nowMs: number
}

/** How many versions were known, and how many were shown later. */
export interface WithheldVersions {
  /** Number of versions in the checkpoint. */
  readonly known: number
  /** Number of versions that were signed later. */
  readonly shown: number
}

/** Verifies a checkpoint of any age. Without enough cosignatures it has no time. */
async function openNote(
  note: string,
  { policy, nowMs }: WithheldTrust,
): Promise<VerifiedCheckpoint> {
  try {
    return await verifyCheckpoint({ note, policy, nowMs, maxAgeSeconds: Infinity })
  } catch (error) {
    if (!(error instanceof LogError && error.code === 'UNWITNESSED')) throw error
    const anyone = { ...policy, quorum: 'none' }
    return { ...(await verifyCheckpoint({ note, policy: anyone, nowMs })), cosignatures: [] }
  }
}

/** The number of versions that was shown, and when that was signed; undefined if no one states a time. */
async function readShown({ shown, keys }: WithheldEvidence, trust: WithheldTrust) {
  if (typeof shown === 'string') {
    const note = await openNote(shown, trust)
    return { size: note.size, atMs: note.witnessedAtMs }
  }
  const [statement] = await verifyStatements([shown], keys, trust.pinnedKeyIds)
  const [newest] = statement?.claim?.kind === 'newest' ? versionsIn(statement) : []
  if (statement === undefined || newest === undefined) {
    throw new EvidenceError('the response does not state which version is the newest')
  }
  return { size: newest.sequence, atMs: statement.provedAtMs }
}

/**
 * Verifies that versions were withheld: more than 10 minutes after a checkpoint was cosigned, its log or its service signed
 * that there are fewer versions. Resolves with the two numbers of versions. Throws an EvidenceError, UNSETTLED if a release
 * in progress explains it too or if the checkpoint has no time, a LogError or a VerificationError.
 *
 * @example
 * ```ts
 * const { known, shown } = await verifyWithheld(JSON.parse(file), { policy, pinnedKeyIds, nowMs: Date.now() })
 * ```
 */
export async function verifyWithheld(
  evidence: WithheldEvidence,
  trust: WithheldTrust,
): Promise<WithheldVersions> {
  // Anyone can write this file, so it may be any JSON.
  const { format, checkpoint, shown, keys } = Object(evidence) as WithheldEvidence
  const isWhole =
    format === 'svc-withheld-v1' &&
    typeof checkpoint === 'string' &&
    (typeof shown === 'string' || isPortable(shown)) &&
    isKeyList(keys, MAX_KEYS)
  if (!isWhole) throw new EvidenceError('expected evidence of the format svc-withheld-v1')
  const known = await openNote(checkpoint, trust)
  const later = await readShown(evidence, trust)
  const { size } = known
  if (later.size >= size) {
    throw new EvidenceError(`the checkpoint has ${size} versions and the other ${later.size}`)
  }
  // The newest cosignature: one witness with a wrong clock must not move the checkpoint into the past.
  const knownAtMs = known.cosignatures[0]?.atMs
  const isLater =
    knownAtMs !== undefined && later.atMs !== undefined && later.atMs - knownAtMs > ROLLOUT_MS
  if (isLater) return { known: size, shown: later.size }
  throw new EvidenceError(
    knownAtMs === undefined || later.atMs === undefined
      ? 'no witness states when the checkpoint was signed'
      : 'both were signed within 10 minutes of each other, as during a release',
    'UNSETTLED',
  )
}
