import type { HttpResponse } from '@public-api/client-internal/http-response'
import type { VerificationError } from '@public-api/client-internal/verification-error'
import type { StepReport } from '@public-api/client-internal/verification-step'
import type { VerifiedResponse } from '@public-api/client-internal/verify-response'

/** A response with the result of its check. */
export interface VerifyOutcome {
  readonly response: HttpResponse
  /** URL of the request; only its target for a saved response without one. */
  readonly url: string
  readonly isPinned: boolean
  readonly nowMs: number
  readonly steps: readonly StepReport[]
  /** Undefined if a step failed. */
  readonly verified: VerifiedResponse | undefined
  /** Undefined if every step passed. */
  readonly failure: VerificationError | undefined
  /** What is to know about a pin that is out of date. */
  readonly retiredPin?: string | undefined
}
