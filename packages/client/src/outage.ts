import { ConnectionError, RedirectError } from './connection.ts'
import { isUnsignedOutage } from './http-response.ts'
import { VerificationError } from './verification-error.ts'

/** Whether a request failed by what was received: a redirect, or a body above the limit. Asked again, it fails again. */
export function isFinal(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return error instanceof RangeError || error instanceof RedirectError || isFinal(error.cause)
}

/** Whether no complete response was received. One that is too large, or a redirect, is a response. */
export function isLost(error: unknown): boolean {
  return error instanceof ConnectionError && !isFinal(error)
}

/**
 * Whether an error means that the service is away. A response that was received and does not verify never does. Clients, pages
 * and commands all judge by this rule.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof VerificationError)) return isLost(error)
  const { code, response } = error
  return code === 'UNSIGNED' && response !== undefined && isUnsignedOutage(response)
}
