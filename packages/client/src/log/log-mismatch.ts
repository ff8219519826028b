import { EvidenceError, type HistoryEvidence } from '../history/history-evidence.ts'
import { verifyStatements, versionsIn } from '../history/history-statement.ts'
import { isKeyList, isPortable, type PortableResponse } from '../portable-response.ts'
import { MAX_KEYS } from '../signing-keys.ts'
import type { LogPolicy } from './log-policy.ts'
import { verifyProof } from './log-proof.ts'

/** A signed response and a signed checkpoint with two different versions of one number, as JSON. */
export interface LogMismatch extends Pick<HistoryEvidence, 'keys'> {
  /** Name of this format. */
  readonly format: 'svc-log-mismatch-v1'
  /** The version in the log, with its checkpoint, as a `.tlog-proof` file. */
  readonly proof: string
  /** The history or version that the service signed. */
  readonly response: PortableResponse
}

/** What a third party trusts. */
export interface MismatchTrust {
  /** Whose log. */
  readonly policy: LogPolicy
  /** Whose history. */
  readonly pinnedKeyIds: readonly string[]
  /** Your clock, in milliseconds since 1970. */
  readonly nowMs: number
}

/**
 * Verifies that a log of the policy and a pinned key signed two different versions of one number. Resolves with the ID
 * of the version. Throws an EvidenceError, a LogError or a VerificationError.
 *
 * @example
 * ```ts
 * await verifyLogMismatch(JSON.parse(file), { policy, pinnedKeyIds, nowMs: Date.now() })
 * ```
 */
export async function verifyLogMismatch(
  evidence: LogMismatch,
  { policy, pinnedKeyIds, nowMs }: MismatchTrust,
): Promise<string> {
  // Anyone can write this file, so it may be any JSON.
  const { format, proof, keys, response } = Object(evidence) as LogMismatch
  const isWhole =
    format === 'svc-log-mismatch-v1' &&
    typeof proof === 'string' &&
    isKeyList(keys, MAX_KEYS) &&
    isPortable(response)
  if (!isWhole) throw new EvidenceError('expected evidence of the format svc-log-mismatch-v1')
  // The log's own signature accuses it; witnesses add nothing to that.
  const signedPolicy = { ...policy, quorum: 'none' }
  const { version } = await verifyProof({ proof, policy: signedPolicy, nowMs })
  const statements = await verifyStatements([response], keys, pinnedKeyIds)
  const listed = statements
    .flatMap(versionsIn)
    .find(({ sequence }) => sequence === version.sequence)
  if (listed === undefined || listed.hash === version.hash) {
    throw new EvidenceError(
      `the log and the response do not contradict each other about ${version.snapshotId}`,
    )
  }
  return version.snapshotId
}
