import type { ErrorCode } from './errors.ts'

export interface ApiErrorDetails {
  /** Seconds until a retry may succeed, at least 1; sent as Retry-After and in the body. */
  readonly retryAfterSeconds?: number
  /** The message in place of that of the catalog. It is sent. */
  readonly message?: string
  /** Value of the Allow header, for 405. */
  readonly allow?: string
  /** Why it happened, for the log; never sent. */
  readonly cause?: unknown
}

/** A failure that the contract has a code for. Anything else that is thrown is a defect and is logged as one. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ErrorCode, details: ApiErrorDetails = {}) {
    super(code, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'ApiError'
    this.code = code
    this.details = details
  }
}
