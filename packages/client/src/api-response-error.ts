import type { ErrorCode } from '#contract/errors/errors'
import type { ErrorBody } from '#contract/http/envelope'
import type { HttpResponse } from './http-response.ts'
import type { RateLimit } from './rate-limit.ts'

/**
 * The service refused a request and signed the refusal. `code` is one of the error catalog and narrows in a switch.
 *
 * @example
 * ```ts
 * try {
 *   await client.versionById('VS-9999')
 * } catch (error) {
 *   if (error instanceof ApiResponseError && error.code === 'VERSION_NOT_FOUND') return undefined
 *   throw error
 * }
 * ```
 */
export class ApiResponseError extends Error {
  /** A code of the error catalog. */
  declare readonly code: ErrorCode
  /** HTTP status. */
  declare readonly status: number
  /** Whether the same request may succeed later. */
  declare readonly retryable: boolean
  /** Seconds until a retry may succeed, if the service states them. */
  declare readonly retryAfterSeconds: number | undefined
  /** Id of the request, for questions to the operator. */
  declare readonly requestId: string | undefined
  /** Quota of the API key; undefined without a key. */
  declare readonly rateLimit: RateLimit | undefined
  /** The signed response. */
  declare readonly response: HttpResponse

  constructor(
    { code, status, message, retryable, retryAfterSeconds }: ErrorBody,
    response: HttpResponse,
    { requestId, rateLimit }: Pick<ApiResponseError, 'requestId' | 'rateLimit'>,
  ) {
    super(`${code}: ${message}`)
    this.name = 'ApiResponseError'
    this.code = code
    this.status = status
    this.retryable = retryable
    this.retryAfterSeconds = retryAfterSeconds
    this.requestId = requestId
    this.rateLimit = rateLimit
    this.response = response
  }
}
