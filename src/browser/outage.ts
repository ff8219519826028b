import { ConnectionError } from '@public-api/client-internal/connection'
import { VerificationError } from '@public-api/client-internal/verification-error'

/**
 * Whether an error says that the service could not be asked. No response arrived, or a proxy or the service itself answered
 * without a signature that it cannot serve: 429 or a status from 500. Every other response that does not verify is one
 * that the service did not sign. All pages judge by this rule.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  if (!(error instanceof VerificationError) || error.code !== 'UNSIGNED') return false
  const { status = 0 } = error.response ?? {}
  return status === 429 || status >= 500
}
