import { CLIENT_HEADERS } from '#contract/terms/client-headers'
import { readHeaders, type HeaderSource } from './header-fields.ts'

/** A response, with the method and target of its request. */
export interface HttpResponse {
  /** Method of the request. */
  readonly method: string
  /** Path and query exactly as sent: not decoded or reordered, and with a trailing question mark. */
  readonly target: string
  /** If-None-Match of the request. A 304 is accepted only if it lists the 304's entity tag. */
  readonly ifNoneMatch?: string
  /** HTTP status. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: HeaderSource
  /** The exact bytes of the body, after removing any content coding (gzip, br). Empty for a 304. */
  readonly body: Uint8Array
}

/** Whether a response claims to be signed. A digest alone may be that of a gateway. */
export function claimsSignature(headers: HeaderSource): boolean {
  const fields = readHeaders(headers)
  return (fields(CLIENT_HEADERS.signature) ?? fields(CLIENT_HEADERS.signedAt)) !== undefined
}

/** Whether a response is the error or rate limit of a gateway, which does not even claim to be signed. */
export function isUnsignedOutage({
  status,
  headers,
}: Pick<HttpResponse, 'status' | 'headers'>): boolean {
  return (status === 429 || status >= 500) && !claimsSignature(headers)
}
