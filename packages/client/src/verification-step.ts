/** The steps of a verification, in order. */
export const VERIFICATION_STEPS = [
  'keys',
  'proof',
  'digest',
  'signature',
  'key',
  'freshness',
  'body',
  'etag',
  'requestId',
] as const

/** The name of a step. */
export type VerificationStep = (typeof VERIFICATION_STEPS)[number]

/** A 304 has its own proof and no body. Its entity tag is compared with those of the request. */
const STEPS_OF_304: readonly VerificationStep[] = [
  'keys',
  'proof',
  'signature',
  'key',
  'freshness',
  'etag',
]

/** The steps for a response with this status. */
export function stepsOfStatus(status: number): readonly VerificationStep[] {
  return status === 304 ? STEPS_OF_304 : VERIFICATION_STEPS
}

/**
 * Values that a step compares, as received and untrusted.
 *
 * | step | expected | found |
 * |---|---|---|
 * | keys | the pinned key IDs; empty if every key is trusted | the IDs of the known keys |
 * | proof | the names of the headers of a proof | those that are present |
 * | digest | the stated SHA-256; empty without one | that of the body |
 * | signature | the IDs of the known keys | the ID of the key that signed, or the signature that none of them made |
 * | key | the IDs of the trusted keys; for KEY_PERIOD, the ID of the key | the ID of the key; for KEY_PERIOD, the time of the signature |
 * | freshness | the maximum age in seconds | the time of the signature, and that of the 304 that renewed it |
 * | body | nothing | nothing |
 * | etag | the tag of the data, empty without data; for a 304, If-None-Match | ETag |
 * | requestId | that of the body, empty without one | that of the header |
 *
 * A failed renewal is a failure of `freshness`, with the values of the check that failed.
 */
export type StepValues = readonly string[]

/** What a step of a verification compared. */
export interface StepReport {
  /** The name of the step. */
  readonly step: VerificationStep
  /** Steps after a failed one are unchecked. */
  readonly outcome: 'ok' | 'failed' | 'unchecked'
  /** The accepted values. */
  readonly expected: StepValues
  /** The values of the response. */
  readonly found: StepValues
}
