import { API_VERSION } from '../contract/api-version.ts'
import {
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '../contract/headers.ts'
import { LIMITS } from '../contract/limits.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import type { JsonSchema } from '../contract/schema-type.ts'

/** What a header field means, for the policy, and what its value looks like, for the OpenAPI document. */
export interface HeaderDoc {
  /** As it stands on the wire. */
  readonly name: string
  readonly meaning: string
  readonly schema: JsonSchema
}

/** A member of HEADERS that only a request carries. */
type RequestHeader =
  | 'acceptLanguage'
  | 'authorization'
  | 'contentEncoding'
  | 'fetchSite'
  | 'ifNoneMatch'
  | 'key'
  | 'origin'
  | 'referer'

/** A member of HEADERS that an answer may carry. */
export type ResponseHeader = Exclude<keyof typeof HEADERS, RequestHeader | 'contentLength'>

/** A table with one entry for each of these headers, under its own wire name. */
type Docs<Header extends keyof typeof HEADERS> = {
  readonly [Name in Header]: HeaderDoc & { readonly name: (typeof HEADERS)[Name] }
}

const text = (example: string): JsonSchema => ({ type: 'string', example })
const whole = (example: number): JsonSchema => ({ type: 'integer', minimum: 0, example })

/** The header fields this API reads from a request, by their key in HEADERS. */
export const REQUEST_HEADER_DOCS = {
  authorization: {
    name: HEADERS.authorization,
    meaning:
      'An API key as a bearer token. Optional on every endpoint that does not ask for a key.',
    schema: text('Bearer <API_KEY>'),
  },
  key: {
    name: HEADERS.key,
    meaning: 'An API key, for callers that cannot set Authorization.',
    schema: text('<API_KEY>'),
  },
  ifNoneMatch: {
    name: HEADERS.ifNoneMatch,
    meaning:
      'Entity tags the caller holds, or *. When one of them matches (weak comparison), the answer is 304 without a body.',
    schema: text('W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'),
  },
  contentType: {
    name: HEADERS.contentType,
    meaning: 'Media type of a request body; application/json, in UTF-8.',
    schema: text('application/json'),
  },
  contentEncoding: {
    name: HEADERS.contentEncoding,
    meaning: 'Content coding of a request body; only identity, or none, is accepted.',
    schema: text('identity'),
  },
  origin: {
    name: HEADERS.origin,
    meaning:
      'The origin of the page that sends a body, as browsers state it. One that is not this service’s own is refused.',
    schema: text('https://api.example.org'),
  },
  fetchSite: {
    name: HEADERS.fetchSite,
    meaning:
      'How the page that sends a body stands to this service, as browsers state it. Other sites’ pages are refused.',
    schema: text('same-origin'),
  },
  referer: {
    name: HEADERS.referer,
    meaning:
      'The page that a registration comes from; the locale in its path is taken where the body names none.',
    schema: text('https://api.example.org/th/early-access'),
  },
  acceptLanguage: {
    name: HEADERS.acceptLanguage,
    meaning: 'Languages of a registration that names no locale and comes from no page with one.',
    schema: text('th, en;q=0.8'),
  },
} as const satisfies Docs<RequestHeader | 'contentType'>

/** The header fields an answer may carry, by their key in HEADERS. One that is missing here does not compile. */
export const RESPONSE_HEADER_DOCS = {
  requestId: {
    name: HEADERS.requestId,
    meaning:
      'Random id of this answer, equal to requestId in the body. It says nothing of the caller.',
    schema: { type: 'string', format: 'uuid', example: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91' },
  },
  apiVersion: {
    name: HEADERS.apiVersion,
    meaning: 'Major version of the API that answered.',
    schema: text(API_VERSION),
  },
  contentType: {
    name: HEADERS.contentType,
    meaning: 'Media type of the body.',
    schema: text(RESPONSE_CONTENT_TYPE),
  },
  cacheControl: {
    name: HEADERS.cacheControl,
    meaning:
      'How long the answer may be reused: the value of the endpoint’s cache class, no-store on every error.',
    schema: text(ERROR_CACHE_CONTROL),
  },
  cdnCacheControl: {
    name: HEADERS.cdnCacheControl,
    meaning:
      'no-store on answers to a request with an API key: shared caches keep none of them (RFC 9213).',
    schema: text(ERROR_CACHE_CONTROL),
  },
  etag: {
    name: HEADERS.etag,
    meaning:
      'Weak entity tag: base64url SHA-256 of the canonical JSON (RFC 8785) of data. The same on every node, and the digest that the version history records.',
    schema: text('W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'),
  },
  vary: {
    name: HEADERS.vary,
    meaning: 'Request headers that a cache must compare before it reuses the answer.',
    schema: { type: 'string', enum: [READ_VARY], example: READ_VARY },
  },
  contentDigest: {
    name: HEADERS.contentDigest,
    meaning: 'SHA-256 of the exact body bytes (RFC 9530); part of the signed text.',
    schema: text('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'),
  },
  signedAt: {
    name: HEADERS.signedAt,
    meaning: 'When the answer was signed, ISO 8601 UTC; part of the signed text.',
    schema: { type: 'string', format: 'date-time', example: '2026-11-21T09:00:00.000Z' },
  },
  signature: {
    name: HEADERS.signature,
    meaning:
      'Ed25519 signature over the six lines of the signed text, base64. Left out while no signing key is configured.',
    schema: {
      type: 'string',
      minLength: 88,
      maxLength: 88,
      example:
        '5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw==',
    },
  },
  revalidated: {
    name: HEADERS.revalidated,
    meaning:
      'Proof on a 304: when it was given and an Ed25519 signature that binds the target and the entity tag to that time. It keeps a stored body verifiable after its own signature has aged.',
    schema: text(
      '2026-11-21T09:00:00.000Z; 5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw==',
    ),
  },
  rateLimitLimit: {
    name: HEADERS.rateLimitLimit,
    meaning: 'Requests that the API key may make in one window. Only on requests with a valid key.',
    schema: whole(LIMITS.keyedRequests.requests),
  },
  rateLimitRemaining: {
    name: HEADERS.rateLimitRemaining,
    meaning:
      'Requests that the API key has left in this window. Only on requests with a valid key.',
    schema: whole(LIMITS.keyedRequests.requests - 1),
  },
  rateLimitReset: {
    name: HEADERS.rateLimitReset,
    meaning: 'Seconds until the window of the API key ends. Only on requests with a valid key.',
    schema: whole(42),
  },
  retryAfter: {
    name: HEADERS.retryAfter,
    meaning: 'Seconds to wait before another try: always on 429, on 503 where the wait is known.',
    schema: { type: 'integer', minimum: 1, example: 42 },
  },
  allow: {
    name: HEADERS.allow,
    meaning: 'On 405: the methods that the route accepts.',
    schema: text('GET, HEAD, OPTIONS'),
  },
  wwwAuthenticate: {
    name: HEADERS.wwwAuthenticate,
    meaning:
      'On 401: Bearer when a key is missing, with error="invalid_token" when it was not accepted (RFC 6750).',
    schema: text('Bearer error="invalid_token"'),
  },
  deprecation: {
    name: HEADERS.deprecation,
    meaning: 'On a deprecated endpoint: since when, as @ and Unix seconds (RFC 9745).',
    schema: text('@1795251600'),
  },
  sunset: {
    name: HEADERS.sunset,
    meaning: 'On a deprecated endpoint: until when it serves, as an HTTP date (RFC 8594).',
    schema: text('Sat, 20 Feb 2027 09:00:00 GMT'),
  },
  link: {
    name: HEADERS.link,
    meaning:
      'Related resources (RFC 8288): the documents of this API on the index, the replacement (rel="successor-version") on a deprecated endpoint.',
    schema: text(`<${READ_PATHS.openapi}>; rel="service-desc"; type="application/json"`),
  },
  robotsTag: {
    name: HEADERS.robotsTag,
    meaning: 'noindex, nofollow on a preview deployment, so that search engines leave it out.',
    schema: text('noindex, nofollow'),
  },
  accessControlAllowOrigin: {
    name: HEADERS.accessControlAllowOrigin,
    meaning: 'Pages of every origin may read the answer. Only on read endpoints.',
    schema: text(CORS.allowOrigin),
  },
  accessControlExposeHeaders: {
    name: HEADERS.accessControlExposeHeaders,
    meaning: 'Response headers that a page of another origin may read. Only on read endpoints.',
    schema: text(CORS.exposeHeaders.join(', ')),
  },
  accessControlAllowMethods: {
    name: HEADERS.accessControlAllowMethods,
    meaning: 'On a preflight answer: the methods that a page of another origin may use.',
    schema: text(CORS.allowMethods.join(', ')),
  },
  accessControlAllowHeaders: {
    name: HEADERS.accessControlAllowHeaders,
    meaning: 'On a preflight answer: the request headers that a page of another origin may send.',
    schema: text(CORS.allowHeaders.join(', ')),
  },
  accessControlMaxAge: {
    name: HEADERS.accessControlMaxAge,
    meaning: 'On a preflight answer: how many seconds it may be remembered.',
    schema: whole(CORS.maxAgeSeconds),
  },
} as const satisfies Docs<ResponseHeader>

/** What each documented header means, by wire name. */
export function headerMeanings(docs: { readonly [key: string]: HeaderDoc }): {
  readonly [wireName: string]: string
} {
  return Object.fromEntries(Object.values(docs).map(({ name, meaning }) => [name, meaning]))
}
