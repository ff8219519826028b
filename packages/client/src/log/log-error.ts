/** Descriptions of the error codes, for lists of codes. */
export const LOG_FAULTS = {
  MALFORMED: 'a note, proof, policy, tile or entry is malformed',
  UNKNOWN_LOG: 'no log of the policy signed the checkpoint',
  SIGNATURE: 'a signature of a known key is not valid',
  UNWITNESSED: 'too few witnesses of the policy cosigned the checkpoint',
  STALE_WITNESS: 'the newest cosignatures are too old',
  INCLUSION: 'the proof does not lead to the root of the tree',
  CONSISTENCY: 'the proof does not show that one tree extends the other',
  ENTRY: 'the entry is not the one that the proof is for',
  RESOURCE: 'the bytes of the resource do not match the entry',
  FORK: 'the log signed two trees that contradict each other',
  LOG_MISMATCH: 'the log and the history of versions contradict each other',
} as const

/** A failed check of the log. */
export type LogFault = keyof typeof LOG_FAULTS

/**
 * A checkpoint, proof, policy or tile that must not be trusted. `code` names the check that failed; the message names
 * the line where the input has one.
 *
 * @example
 * ```ts
 * try {
 *   await verifyCheckpoint({ note, policy, nowMs: Date.now() })
 * } catch (error) {
 *   if (error instanceof LogError) console.error(`Not to be trusted: ${error.code}`)
 *   else throw error
 * }
 * ```
 */
export class LogError extends Error {
  /** The check that failed. */
  readonly code: LogFault

  constructor(code: LogFault, detail: string) {
    super(`${code}: ${detail}`)
    this.name = 'LogError'
    this.code = code
  }
}
