import { messageOf } from '@public-api/contract/errors/error-message'
import { propertyOf } from '@public-api/contract/json/property-of'
import { sanitizeForTerminal } from './sanitize-for-terminal.ts'

/** Reasons of connection failures, by Node's error code. */
const REASONS: { readonly [code: string]: string } = {
  ENOTFOUND: 'could not be reached: its host name is not known (DNS)',
  EAI_AGAIN: 'could not be reached: its host name could not be looked up (DNS)',
  ECONNREFUSED: 'could not be reached: nothing listens there',
  ECONNRESET: 'could not be reached: the connection was closed before a response arrived',
  EHOSTUNREACH: 'could not be reached: no route to its host',
  ENETUNREACH: 'could not be reached: the network is unreachable',
  ETIMEDOUT: 'could not be reached: its host does not respond',
  EPROTO: 'could not be reached: the server does not support TLS; try http://',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'could not be reached: the server does not support TLS; try http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG:
    'could not be reached: the server does not support TLS; try http://',
  CERT_HAS_EXPIRED: 'could not be reached: its certificate has expired (TLS)',
  CERT_NOT_YET_VALID: 'could not be reached: its certificate is not valid yet (TLS)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'could not be reached: its certificate is for another name (TLS)',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'could not be reached: its certificate is self-signed (TLS); NODE_EXTRA_CA_CERTS names a file of further authorities',
  SELF_SIGNED_CERT_IN_CHAIN:
    'could not be reached: its certificate is signed by an authority that is not known here (TLS); NODE_EXTRA_CA_CERTS names a file of further authorities',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'could not be reached: its certificate is signed by an authority that is not known here (TLS), or an intermediate certificate is not sent',
}

function codeOf(error: unknown): string {
  const code = propertyOf(error, 'code')
  if (typeof code === 'string') return code
  // A name with several addresses fails with one error for each.
  return error instanceof AggregateError ? codeOf(error.errors[0]) : ''
}

/** Why a request got no response, as the end of a sentence that starts with the URL. */
export function describeFailure(error: unknown, timeoutMs: number): string {
  const name = propertyOf(error, 'name') ?? (error instanceof Error ? error.name : '')
  if (name === 'AbortError' || name === 'TimeoutError') {
    return `did not respond within ${timeoutMs / 1000} s`
  }
  const code = codeOf(error)
  if (Object.hasOwn(REASONS, code)) return REASONS[code] ?? ''
  if (code.startsWith('HPE_')) return `sent something that is not HTTP (${code})`
  // It may contain the names of a certificate.
  return `could not be reached: ${sanitizeForTerminal(messageOf(error) || code || 'unknown reason')}`
}
