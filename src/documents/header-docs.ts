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
interface HeaderDoc {
  readonly meaning: string
  readonly schema: JsonSchema
}

/** Header documentation by key in HEADERS. */
type HeaderDocs = { readonly [Key in keyof typeof HEADERS]?: HeaderDoc }

const documented = (meaning: string, schema: JsonSchema): HeaderDoc => ({ meaning, schema })
const text = (example: string): JsonSchema => ({ type: 'string', example })
const whole = (example: number): JsonSchema => ({ type: 'integer', minimum: 0, example })

/** The headers that this API reads from a request, by their key in HEADERS. */
export const REQUEST_HEADER_DOCS = {
  authorization: documented(
    'An API key as a bearer token. Optional on every endpoint that does not require one.',
    text('Bearer <API_KEY>'),
  ),
  key: documented('An API key, for callers that cannot set Authorization.', text('<API_KEY>')),
  ifNoneMatch: documented(
    'Entity tags that the client has stored, or *. If one of them matches (weak comparison), the response is 304 without a body.',
    text('W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'),
  ),
  contentType: documented(
    'Media type of a request body; application/json, in UTF-8.',
    text('application/json'),
  ),
  contentEncoding: documented(
    'Content coding of a request body. Only identity is accepted.',
    text('identity'),
  ),
  origin: documented(
    'Origin of the page that sends a request body. Browsers send it; any origin other than this service’s own is refused.',
    text('https://api.example.org'),
  ),
  fetchSite: documented(
    'Relationship between the page that sends a request body and this service. Browsers send it; requests from other sites are refused.',
    text('same-origin'),
  ),
  referer: documented(
    'The page that a registration comes from. Its locale is used if the body has none.',
    text('https://api.example.org/th/early-access'),
  ),
  acceptLanguage: documented(
    'Used to choose a locale if neither the body nor the page of a registration has one.',
    text('th, en;q=0.8'),
  ),
} satisfies HeaderDocs

/** The headers that a response may carry, by their key in HEADERS. */
export const RESPONSE_HEADER_DOCS = {
  requestId: documented(
    'Random ID of this response, equal to requestId in the body. It carries no identity.',
    { type: 'string', format: 'uuid', example: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91' },
  ),
  apiVersion: documented('Major version of the API.', text(API_VERSION)),
  contentType: documented('Media type of the body.', text(RESPONSE_CONTENT_TYPE)),
  cacheControl: documented(
    'How long the response may be reused: the value of the endpoint’s cache class, or no-store on every error.',
    text(ERROR_CACHE_CONTROL),
  ),
  age: documented(
    'Seconds since the response was created, if it is reused for several requests (RFC 9111). The signature does not cover it.',
    whole(12),
  ),
  cdnCacheControl: documented(
    'no-store on a successful cacheable read with a valid API key, so that shared caches do not store it (RFC 9213).',
    text(ERROR_CACHE_CONTROL),
  ),
  etag: documented(
    'Weak entity tag: base64url SHA-256 of the canonical JSON (RFC 8785) of data. The same on every node, and the digest that the version history records.',
    text('W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"'),
  ),
  vary: documented('Request headers that a cache must compare before it reuses the response.', {
    type: 'string',
    enum: [READ_VARY],
    example: READ_VARY,
  }),
  contentDigest: documented(
    'SHA-256 of the exact body bytes (RFC 9530); part of the signed text.',
    text('sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:'),
  ),
  signedAt: documented('When the response was signed, ISO 8601 UTC; part of the signed text.', {
    type: 'string',
    format: 'date-time',
    example: '2026-11-21T09:00:00.000Z',
  }),
  signature: documented(
    'Ed25519 signature over the six lines of the signed text, base64. Omitted if no signing key is configured.',
    {
      type: 'string',
      minLength: 88,
      maxLength: 88,
      example:
        '5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw==',
    },
  ),
  revalidated: documented(
    'Proof on a 304: the time, and an Ed25519 signature that binds the target and the entity tag to it. It keeps a stored body verifiable after its own signature expires.',
    text(
      '2026-11-21T09:00:00.000Z; 5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw==',
    ),
  ),
  rateLimitLimit: documented(
    'Requests that the API key may make in one window. Sent only for requests with a valid key.',
    whole(LIMITS.keyedRequests.requests),
  ),
  rateLimitRemaining: documented(
    'Requests that remain for the API key in this window. Sent only for requests with a valid key.',
    whole(LIMITS.keyedRequests.requests - 1),
  ),
  rateLimitReset: documented(
    'Seconds until the window of the API key ends. Sent only for requests with a valid key.',
    whole(42),
  ),
  retryAfter: documented(
    'Seconds to wait before a retry. Sent on every 429, and on a 503 if the wait is known.',
    { type: 'integer', minimum: 1, example: 42 },
  ),
  allow: documented(
    'The methods that the route supports. Sent on 405 and on preflight responses.',
    text('GET, HEAD, OPTIONS'),
  ),
  wwwAuthenticate: documented(
    'On 401: Bearer if the key is missing, with error="invalid_token" if the key was not accepted (RFC 6750).',
    text('Bearer error="invalid_token"'),
  ),
  deprecation: documented(
    'On a deprecated endpoint: the time of its deprecation, as @ and Unix seconds (RFC 9745).',
    text('@1795251600'),
  ),
  sunset: documented(
    'On a deprecated endpoint: the time until which it is available, as an HTTP date (RFC 8594).',
    text('Sat, 20 Feb 2027 09:00:00 GMT'),
  ),
  link: documented(
    'Related resources (RFC 8288): the documents of this API on the index, the next page (rel="next") of a list with pages, and the successor (rel="successor-version") on a deprecated endpoint.',
    text(`<${READ_PATHS.openapi}>; rel="service-desc"; type="application/json"`),
  ),
  robotsTag: documented(
    'noindex, nofollow on a preview deployment, which search engines must not index.',
    text('noindex, nofollow'),
  ),
  accessControlAllowOrigin: documented(
    'Pages of every origin may read the response. Sent only on read endpoints.',
    text(CORS.allowOrigin),
  ),
  accessControlExposeHeaders: documented(
    'Response headers that a page of another origin may read. Sent only on read endpoints.',
    text(CORS.exposeHeaders.join(', ')),
  ),
  accessControlAllowMethods: documented(
    'On a preflight response: the methods that a page of another origin may use.',
    text(CORS.allowMethods.join(', ')),
  ),
  accessControlAllowHeaders: documented(
    'On a preflight response: the request headers that a page of another origin may send.',
    text(CORS.allowHeaders.join(', ')),
  ),
  accessControlMaxAge: documented(
    'On a preflight response: how many seconds it may be cached.',
    whole(CORS.maxAgeSeconds),
  ),
} satisfies HeaderDocs

/** A header that a response may carry. */
export type ResponseHeader = keyof typeof RESPONSE_HEADER_DOCS

/** The entries of a table with the wire name of each header. */
export function headersOf(docs: HeaderDocs) {
  return Object.entries(docs).map(([key, doc]) => ({
    name: HEADERS[key as keyof typeof HEADERS],
    ...doc,
  }))
}

/** Descriptions of the documented headers, by wire name. */
export function headerMeanings(docs: HeaderDocs): { readonly [wireName: string]: string } {
  return Object.fromEntries(headersOf(docs).map(({ name, meaning }) => [name, meaning]))
}
