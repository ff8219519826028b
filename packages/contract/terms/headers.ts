import { CLIENT_HEADERS } from './client-headers.ts'

/** Names of the contract's header fields, as sent. */
export const HEADERS = {
  ...CLIENT_HEADERS,
  acceptLanguage: 'Accept-Language',
  acceptSignature: 'Accept-Signature',
  accessControlAllowHeaders: 'Access-Control-Allow-Headers',
  accessControlAllowMethods: 'Access-Control-Allow-Methods',
  accessControlAllowOrigin: 'Access-Control-Allow-Origin',
  accessControlExposeHeaders: 'Access-Control-Expose-Headers',
  accessControlMaxAge: 'Access-Control-Max-Age',
  age: 'Age',
  allow: 'Allow',
  apiVersion: 'X-SVC-API-Version',
  cacheControl: 'Cache-Control',
  cdnCacheControl: 'CDN-Cache-Control',
  contentEncoding: 'Content-Encoding',
  contentLength: 'Content-Length',
  contentType: 'Content-Type',
  deprecation: 'Deprecation',
  fetchSite: 'Sec-Fetch-Site',
  key: 'X-SVC-Key',
  link: 'Link',
  messageSignature: 'Signature',
  origin: 'Origin',
  referer: 'Referer',
  robotsTag: 'X-Robots-Tag',
  signatureInput: 'Signature-Input',
  sunset: 'Sunset',
  unencodedDigest: 'Unencoded-Digest',
  vary: 'Vary',
  wwwAuthenticate: 'WWW-Authenticate',
} as const

/** The header of every response of a staging deployment, name and value: not indexed by search engines (spec section 1). */
export const NO_INDEX_HEADERS: readonly string[] = [HEADERS.robotsTag, 'noindex, nofollow']

/** The media type of responses, and the only one accepted in requests (spec section 8). */
export const JSON_MEDIA_TYPE = 'application/json'

/** Content-Type of every JSON response. */
export const RESPONSE_CONTENT_TYPE = `${JSON_MEDIA_TYPE}; charset=utf-8`

/** Cache classes: the Cache-Control of a successful response, and the reason (spec section 8). */
export const CACHE_CLASSES = {
  'static-snapshot': {
    cacheControl: 'public, max-age=60, stale-while-revalidate=300',
    meaning: 'Changes only on a deployment.',
  },
  'short-lived': {
    cacheControl: 'public, max-age=0, must-revalidate',
    meaning: 'Computed for each request.',
  },
  none: { cacheControl: 'no-store', meaning: 'Writes, responses for key holders and every error.' },
} as const

export type CacheClass = keyof typeof CACHE_CLASSES

/** Every error is sent with this Cache-Control, whatever the class of its endpoint (spec section 7). */
export const ERROR_CACHE_CONTROL = CACHE_CLASSES.none.cacheControl

/**
 * A cacheable read varies with the API key and the requested signature (RFC 9110 12.5.5, RFC 9421 section 5), so that a
 * cache separates them.
 */
export const READ_VARY: string = [HEADERS.authorization, HEADERS.key, HEADERS.acceptSignature].join(
  ', ',
)

/** Cross-origin rules of the read endpoints (spec section 8). Write endpoints carry no CORS header. */
export const CORS = {
  allowOrigin: '*',
  allowMethods: ['GET', 'HEAD', 'OPTIONS'],
  allowHeaders: [HEADERS.authorization, HEADERS.key, HEADERS.ifNoneMatch, HEADERS.acceptSignature],
  allowCredentials: false,
  maxAgeSeconds: 86_400,
  exposeHeaders: [
    HEADERS.requestId,
    HEADERS.apiVersion,
    HEADERS.etag,
    HEADERS.retryAfter,
    HEADERS.deprecation,
    HEADERS.sunset,
    HEADERS.link,
    HEADERS.contentDigest,
    HEADERS.signedAt,
    HEADERS.signature,
    HEADERS.rateLimitLimit,
    HEADERS.rateLimitRemaining,
    HEADERS.rateLimitReset,
    HEADERS.revalidated,
    HEADERS.messageSignature,
    HEADERS.signatureInput,
    HEADERS.unencodedDigest,
  ],
} as const
