import {
  cosignatureTime,
  isLineOf,
  parseSignedCheckpoint,
  type SignedCheckpoint,
  type TreeHead,
} from './checkpoint.ts'
import { LogError } from './log-error.ts'
import type { LogPolicy } from './log-policy.ts'
import { ED25519 } from './signed-note.ts'

/** A log that is rarely extended is cosigned again every day. */
const MAX_QUORUM_AGE_SECONDS = 604_800
/** Clocks of witnesses may differ this much. */
const MAX_SECONDS_AHEAD = 300

/** A checkpoint and what it is checked against. */
export interface CheckpointExpectations {
  /** The signed checkpoint, with its cosignatures. */
  readonly note: string
  /** Whom you trust; never taken from the service itself. */
  readonly policy: LogPolicy
  /** Your clock, in milliseconds since 1970. */
  readonly nowMs: number
  /** Maximum age of the quorum's cosignatures. Default: 7 days. Infinity accepts any age. */
  readonly maxAgeSeconds?: number
}

/** One valid cosignature. */
export interface Cosignature {
  /** Name of the witness in the policy. */
  readonly witness: string
  /** In milliseconds since 1970. */
  readonly atMs: number
}

/** A checkpoint that satisfies a policy. */
export interface VerifiedCheckpoint extends TreeHead {
  /** The signed checkpoint as given. */
  readonly note: string
  /** The keys of the log that signed it, as verifier keys. */
  readonly signedBy: readonly string[]
  /** The newest cosignature of each witness, newest first. */
  readonly cosignatures: readonly Cosignature[]
  /** When enough witnesses had cosigned it, in milliseconds since 1970; undefined if the policy asks for none. */
  readonly witnessedAtMs: number | undefined
}

/** Who was to sign and who did. With the IDs, because a log of the same name with another key looks the same otherwise. */
export function describeSigners(note: SignedCheckpoint, policy: LogPolicy): string {
  const known = policy.logs.map(({ key }) => `${key.name}+${key.keyId}`).join(', ')
  const found = note.signatures.map(({ name, keyId }) => `${name}+${keyId}`).join(', ')
  return `expected a signature of ${known}, found origin ${note.origin} signed by ${found}`
}

/**
 * The verifier keys of the log that signed. Throws a LogError: UNKNOWN_LOG if none of the policy did, SIGNATURE if a
 * known key's signature is not valid.
 */
async function signersOf(note: SignedCheckpoint, policy: LogPolicy): Promise<readonly string[]> {
  const signers: string[] = []
  for (const { key } of policy.logs) {
    // A log that signs with another algorithm signs with Ed25519 as well (c2sp.org/tlog-checkpoint).
    if (key.type !== ED25519) continue
    for (const line of note.signatures) {
      if (!isLineOf(key, line)) continue
      if (!(await key.isSignatureOf(line.signature, note.text))) {
        const detail = `the checkpoint, line ${line.line}: the signature of ${key.name} is not valid`
        throw new LogError('SIGNATURE', detail)
      }
      if (key.name === note.origin && !signers.includes(key.vkey)) signers.push(key.vkey)
    }
  }
  if (signers.length > 0) return signers
  throw new LogError('UNKNOWN_LOG', describeSigners(note, policy))
}

/** The newest valid cosignature of each witness. Throws a LogError (SIGNATURE) for one that is not valid. */
async function cosignaturesOf(
  note: SignedCheckpoint,
  policy: LogPolicy,
): Promise<readonly Cosignature[]> {
  const found: Cosignature[] = []
  for (const { name, key } of policy.witnesses) {
    if (!key.isCheckable) continue
    let newest: number | undefined
    for (const line of note.signatures) {
      if (!isLineOf(key, line)) continue
      const time = await cosignatureTime(key, line, note)
      if (time === undefined) {
        const detail = `the checkpoint, line ${line.line}: the cosignature of ${key.name} is not valid`
        throw new LogError('SIGNATURE', detail)
      }
      // A time of 0 makes no statement about when the witness saw the checkpoint (tlog-cosignature).
      if (time > 0) newest = Math.max(newest ?? 0, time)
    }
    if (newest !== undefined) found.push({ witness: name, atMs: newest * 1000 })
  }
  return found.toSorted((one, other) => other.atMs - one.atMs)
}

/**
 * The newest time at which the policy's quorum was met: with two of three, the second newest. One fresh witness must
 * not hide that the others are gone. Undefined if the quorum is not met.
 */
function quorumTime(cosignatures: readonly Cosignature[], policy: LogPolicy): number | undefined {
  const names = new Set<string>()
  for (const { witness, atMs } of cosignatures) {
    names.add(witness)
    if (policy.isMetBy(names)) return atMs
  }
  return undefined
}

/**
 * Verifies a signed checkpoint against a policy: the log's signature, the quorum of witnesses and its age. Lines of
 * unknown keys are ignored. Throws a LogError: MALFORMED, UNKNOWN_LOG, SIGNATURE, UNWITNESSED or STALE_WITNESS.
 *
 * @example
 * ```ts
 * const policy = await openPolicy(policyText)
 * const { size, root, witnessedAtMs } = await verifyCheckpoint({ note, policy, nowMs: Date.now() })
 * ```
 */
export async function verifyCheckpoint(
  expectations: CheckpointExpectations,
): Promise<VerifiedCheckpoint> {
  const { note, policy, nowMs, maxAgeSeconds = MAX_QUORUM_AGE_SECONDS } = expectations
  const signed = parseSignedCheckpoint(note)
  const signedBy = await signersOf(signed, policy)
  const all = await cosignaturesOf(signed, policy)
  const cosignatures = all.filter(({ atMs }) => atMs <= nowMs + MAX_SECONDS_AHEAD * 1000)
  const { origin, size, root } = signed
  if (policy.quorum === 'none') {
    return { note, origin, size, root, signedBy, cosignatures, witnessedAtMs: undefined }
  }
  const witnessedAtMs = quorumTime(cosignatures, policy)
  if (witnessedAtMs === undefined) {
    const names = cosignatures.map(({ witness }) => witness).join(', ') || 'no witness'
    const ahead = all.length - cosignatures.length
    const ignored = ahead === 0 ? '' : `; ${ahead} cosigned more than 5 minutes in the future`
    const absent = policy.witnesses
      .filter(
        ({ key }) => !key.isCheckable && signed.signatures.some((line) => isLineOf(key, line)),
      )
      .map(({ name }) => `; ${name} cosigned with ML-DSA-44, which this platform cannot check`)
    const reasons = `${ignored}${absent.join('')}`
    const detail = `quorum ${policy.quorum} is not met: cosigned by ${names}${reasons}`
    throw new LogError('UNWITNESSED', detail)
  }
  if (!(nowMs - witnessedAtMs <= maxAgeSeconds * 1000)) {
    const seconds = Math.round((nowMs - witnessedAtMs) / 1000)
    const detail = `the quorum cosigned ${seconds} s ago; expected at most ${maxAgeSeconds} s`
    throw new LogError('STALE_WITNESS', detail)
  }
  return { note, origin, size, root, signedBy, cosignatures, witnessedAtMs }
}
