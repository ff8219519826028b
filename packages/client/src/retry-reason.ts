import { CLIENT_HEADERS } from '#contract/http/client-headers'
import { ApiResponseError } from './api-response-error.ts'
import { readHeaders } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { isLost } from './outage.ts'
import type { RetryReason } from './retries.ts'
import { VerificationError } from './verification-error.ts'

/** The retry after an unsigned 429 or 5xx, which comes from a gateway or a service that does not sign. */
function unsignedReason({ status, headers }: HttpResponse, nowMs: number): RetryReason | undefined {
  if (status !== 429 && status < 500) return undefined
  const after = readHeaders(headers)(CLIENT_HEADERS.retryAfter) ?? ''
  // RFC 9110 10.2.3: seconds, or a date.
  const seconds = /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - nowMs) / 1000
  return { afterSeconds: seconds >= 0 ? seconds : undefined }
}

/** Why a read may be repeated after this error; undefined if repeating it does not help. */
export function retryReasonOf(error: unknown, nowMs: number): RetryReason | undefined {
  // Repeating a request does not help against a response that is too large or a redirect.
  if (isLost(error)) return { afterSeconds: undefined }
  if (error instanceof ApiResponseError && error.retryable) {
    return { afterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof VerificationError && error.code === 'UNSIGNED' && error.response) {
    return unsignedReason(error.response, nowMs)
  }
  return undefined
}
