import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { ConnectionError, RedirectError } from './connection.ts'
import { readHeaders } from './header-fields.ts'
import type { HttpResponse } from './http-response.ts'
import { VerificationError } from './verification-error.ts'

/** Whether a response is the error or rate limit of a gateway, which does not even claim to be signed. */
export function isUnsignedOutage({ status, headers }: HttpResponse): boolean {
  const fields = readHeaders(headers)
  const isSigned = fields(CLIENT_HEADERS.signature) ?? fields(CLIENT_HEADERS.signedAt)
  return (status === 429 || status >= 500) && isSigned === undefined
}

/** Whether no complete response was received. One that is too large, or a redirect, is a response. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof ConnectionError)) return false
  return !(error.cause instanceof RangeError || error.cause instanceof RedirectError)
}

/** Whether an error means that the service is away. A response that was received and does not verify never does. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof VerificationError)) return isLost(error)
  const { code, response } = error
  return code === 'UNSIGNED' && response !== undefined && isUnsignedOutage(response)
}
