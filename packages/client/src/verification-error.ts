import type { HttpResponse } from './http-response.ts'
import type { StepReport } from './verification-step.ts'

/**
 * Descriptions of the error codes, for lists of codes. Error messages describe the case themselves, so browsers need
 * not load this table.
 */
export const VERIFICATION_FAULTS = {
  KEY_MALFORMED: 'the key is not a usable Ed25519 public key',
  UNKNOWN_KEY: 'no trusted key signed it, or no pinned key is published',
  UNSIGNED: 'it is not signed',
  DIGEST: 'Content-Digest does not match the body',
  SIGNATURE: 'the signature is not valid for any key',
  KEY_PERIOD: 'the key was not in use at that time',
  MALFORMED: 'a signed part is malformed',
  FUTURE: 'the time of the signature is in the future, by the clock of the verifier',
  STALE: 'the signature is older than the maximum age, by the clock of the verifier',
  REVALIDATION: 'the signature of the 304 is not valid for any key',
  ETAG: 'the 304 is of other data',
} as const

/** A failed check of a response. */
export type VerificationFault = keyof typeof VERIFICATION_FAULTS

/**
 * A response or a key that must not be trusted. `code` names the step of the check that failed.
 *
 * @example
 * ```ts
 * try {
 *   await client.status()
 * } catch (error) {
 *   if (error instanceof VerificationError) console.error(`Not to be trusted: ${error.code}`)
 *   else throw error
 * }
 * ```
 */
export class VerificationError extends Error {
  /** The step of the check that failed. */
  declare readonly code: VerificationFault
  /** The response that failed; undefined for a key that was checked by itself. */
  declare response: HttpResponse | undefined
  /** What each step compared, with the failed step; undefined for a key that was checked by itself. */
  declare steps: readonly StepReport[] | undefined

  /** `detail` says what was expected and found. It never quotes a body. */
  constructor(code: VerificationFault, detail: string) {
    super(`${code}: ${detail}`)
    this.name = 'VerificationError'
    this.code = code
  }
}
