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

/** The meaning of a header, for the policy, and the schema of its value, for the OpenAPI document. */
export interface HeaderDoc {
  /** Name on the wire. */
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

/** A member of HEADERS that a response may carry. */
export type ResponseHeader = Exclude<keyof typeof HEADERS, RequestHeader | 'contentLength'>

/** A table with one entry for each of these headers, under its own wire name. */
type Docs<Header extends keyof typeof HEADERS> = {
  readonly [Name in Header]: HeaderDoc & { readonly name: (typeof HEADERS)[Name] }
}

const text = (example: string): JsonSchema => ({ type: 'string', example })
const whole = (example: number): JsonSchema => ({ type: 'integer', minimum: 0, example })

/** The headers that this API reads from a request, by their key in HEADERS. */
export const REQUEST_HEADER_DOCS = {
  authorization: {
    name: HEADERS.authorization,
    meaning: 'An API key as a bearer token. Optional on every endpoint that does not require one.',
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
      'Entity tags that the client has stored, or *. If one of them matches (weak comparison), the response is 304 without a body.',
    schema: text('W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'),
  },
  contentType: {
    name: HEADERS.contentType,
    meaning: 'Media type of a request body; application/json, in UTF-8.',
    schema: text('application/json'),
  },
  contentEncoding: {
    name: HEADERS.contentEncoding,
    meaning: 'Content coding of a request body. Only identity is accepted.',
    schema: text('identity'),
  },
  origin: {
    name: HEADERS.origin,
    meaning:
      'Origin of the page that sends a request body. Browsers send it; any origin other than this service’s own is refused.',
    schema: text('https://api.example.org'),
  },
  fetchSite: {
    name: HEADERS.fetchSite,
    meaning:
      'Relationship between the page that sends a request body and this service. Browsers send it; requests from other sites are refused.',
    schema: text('same-origin'),
  },
  referer: {
    name: HEADERS.referer,
    meaning: 'The page that a registration comes from. Its locale is used if the body has none.',
    schema: text('https://api.example.org/th/early-access'),
  },
  acceptLanguage: {
    name: HEADERS.acceptLanguage,
    meaning: 'Used to choose a locale if neither the body nor the page of a registration has one.',
    schema: text('th, en;q=0.8'),
  },
} as const satisfies Docs<RequestHeader | 'contentType'>

/** The headers that a response may carry, by their key in HEADERS. A missing one does not compile. */
export const RESPONSE_HEADER_DOCS = {
  requestId: {
    name: HEADERS.requestId,
    meaning: 'Random ID of this response, equal to requestId in the body. It carries no identity.',
    schema: { type: 'string', format: 'uuid', example: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91' },
  },
  apiVersion: {
    name: HEADERS.apiVersion,
    meaning: 'Major version of the API.',
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
      'How long the response may be reused: the value of the endpoint’s cache class, or no-store on every error.',
    schema: text(ERROR_CACHE_CONTROL),
  },
  age: {
    name: HEADERS.age,
    meaning:
      'Seconds since the response was created, if it is reused for several requests (RFC 9111). The signature does not cover it.',
    schema: whole(12),
  },
  cdnCacheControl: {
    name: HEADERS.cdnCacheControl,
    meaning:
      'no-store on a successful cacheable read with a valid API key, so that shared caches do not store it (RFC 9213).',
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
    meaning: 'Request headers that a cache must compare before it reuses the response.',
    schema: { type: 'string', enum: [READ_VARY], example: READ_VARY },
  },
  contentDigest: {
    name: HEADERS.contentDigest,
    meaning: 'SHA-256 of the exact body bytes (RFC 9530); part of the signed text.',
    schema: text('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'),
  },
  signedAt: {
    name: HEADERS.signedAt,
    meaning: 'When the response was signed, ISO 8601 UTC; part of the signed text.',
    schema: { type: 'string', format: 'date-time', example: '2026-11-21T09:00:00.000Z' },
  },
  signature: {
    name: HEADERS.signature,
    meaning:
      'Ed25519 signature over the six lines of the signed text, base64. Omitted if no signing key is configured.',
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
      'Proof on a 304: the time, and an Ed25519 signature that binds the target and the entity tag to it. It keeps a stored body verifiable after its own signature expires.',
    schema: text(
      '2026-11-21T09:00:00.000Z; 5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw==',
    ),
  },
  rateLimitLimit: {
    name: HEADERS.rateLimitLimit,
    meaning:
      'Requests that the API key may make in one window. Sent only for requests with a valid key.',
    schema: whole(LIMITS.keyedRequests.requests),
  },
  rateLimitRemaining: {
    name: HEADERS.rateLimitRemaining,
    meaning:
      'Requests that remain for the API key in this window. Sent only for requests with a valid key.',
    schema: whole(LIMITS.keyedRequests.requests - 1),
  },
  rateLimitReset: {
    name: HEADERS.rateLimitReset,
    meaning:
      'Seconds until the window of the API key ends. Sent only for requests with a valid key.',
    schema: whole(42),
  },
  retryAfter: {
    name: HEADERS.retryAfter,
    meaning:
      'Seconds to wait before a retry. Sent on every 429, and on a 503 if the wait is known.',
    schema: { type: 'integer', minimum: 1, example: 42 },
  },
  allow: {
    name: HEADERS.allow,
    meaning: 'The methods that the route supports. Sent on 405 and on preflight responses.',
    schema: text('GET, HEAD, OPTIONS'),
  },
  wwwAuthenticate: {
    name: HEADERS.wwwAuthenticate,
    meaning:
      'On 401: Bearer if the key is missing, with error="invalid_token" if the key was not accepted (RFC 6750).',
    schema: text('Bearer error="invalid_token"'),
  },
  deprecation: {
    name: HEADERS.deprecation,
    meaning:
      'On a deprecated endpoint: the time of its deprecation, as @ and Unix seconds (RFC 9745).',
    schema: text('@1795251600'),
  },
  sunset: {
    name: HEADERS.sunset,
    meaning:
      'On a deprecated endpoint: the time until which it is available, as an HTTP date (RFC 8594).',
    schema: text('Sat, 20 Feb 2027 09:00:00 GMT'),
  },
  link: {
    name: HEADERS.link,
    meaning:
      'Related resources (RFC 8288): the documents of this API on the index, the next page (rel="next") of a list with pages, and the successor (rel="successor-version") on a deprecated endpoint.',
    schema: text(`<${READ_PATHS.openapi}>; rel="service-desc"; type="application/json"`),
  },
  robotsTag: {
    name: HEADERS.robotsTag,
    meaning: 'noindex, nofollow on a preview deployment, which search engines must not index.',
    schema: text('noindex, nofollow'),
  },
  accessControlAllowOrigin: {
    name: HEADERS.accessControlAllowOrigin,
    meaning: 'Pages of every origin may read the response. Sent only on read endpoints.',
    schema: text(CORS.allowOrigin),
  },
  accessControlExposeHeaders: {
    name: HEADERS.accessControlExposeHeaders,
    meaning:
      'Response headers that a page of another origin may read. Sent only on read endpoints.',
    schema: text(CORS.exposeHeaders.join(', ')),
  },
  accessControlAllowMethods: {
    name: HEADERS.accessControlAllowMethods,
    meaning: 'On a preflight response: the methods that a page of another origin may use.',
    schema: text(CORS.allowMethods.join(', ')),
  },
  accessControlAllowHeaders: {
    name: HEADERS.accessControlAllowHeaders,
    meaning: 'On a preflight response: the request headers that a page of another origin may send.',
    schema: text(CORS.allowHeaders.join(', ')),
  },
  accessControlMaxAge: {
    name: HEADERS.accessControlMaxAge,
    meaning: 'On a preflight response: how many seconds it may be cached.',
    schema: whole(CORS.maxAgeSeconds),
  },
} as const satisfies Docs<ResponseHeader>

/** Descriptions of the documented headers, by wire name. */
export function headerMeanings(docs: { readonly [key: string]: HeaderDoc }): {
  readonly [wireName: string]: string
} {
  return Object.fromEntries(Object.values(docs).map(({ name, meaning }) => [name, meaning]))
}
