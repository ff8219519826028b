import type { ErrorBody } from '../../../src/contract/envelope.ts'
import type { ErrorCode } from '../../../src/contract/errors.ts'
import type { Answer } from './verify-response.ts'

/** The service refused, and signed that it did. `code` is one of the error catalog and narrows in a switch. */
export class ApiResponseError extends Error {
  declare readonly code: ErrorCode
  declare readonly status: number
  /** Whether the same request may succeed later. */
  declare readonly retryable: boolean
  /** Seconds until a retry may succeed, where the service knows. */
  declare readonly retryAfterSeconds: number | undefined
  /** The signed answer that says so. */
  declare readonly answer: Answer

  constructor({ code, status, message, retryable, retryAfterSeconds }: ErrorBody, answer: Answer) {
    super(`${code}: ${message}`)
    this.name = 'ApiResponseError'
    this.code = code
    this.status = status
    this.retryable = retryable
    this.retryAfterSeconds = retryAfterSeconds
    this.answer = answer
  }
}
