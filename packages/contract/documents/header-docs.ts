import { formatRevalidated } from '../http/signature.ts'
import { READ_PATHS } from '../registry/read-paths.ts'
import { EXAMPLE_EPOCH_MS, enumField, text, whole } from '../schemas/fields.ts'
import { API_VERSION } from '../terms/api-version.ts'
import {
  CORS,
  ERROR_CACHE_CONTROL,
  HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '../terms/headers.ts'
import { LIMITS } from '../terms/limits.ts'
import type { JsonSchema } from '../terms/schema-type.ts'
import { DAY_MS, formatInstant } from '../text/instant.ts'

/** The schema of the value of each header, by key in HEADERS. Its description says what the header means. */
export type HeaderDocs = {
  readonly [Key in keyof typeof HEADERS]?: JsonSchema & { readonly description: string }
}

const EXAMPLE_INSTANT = formatInstant(EXAMPLE_EPOCH_MS)
const EXAMPLE_SECONDS = EXAMPLE_EPOCH_MS / 1000
const EXAMPLE_SIGNATURE =
  '5VZDAMNgrHKQhuLMgG6CioSHfx64dg3OwIxB8hV3eYxCvDUMUXtnNqyOaFhpMN1mBrRpqgiY7jIYwC2/pQJrCw=='

/** The headers that this API reads from a request, by their key in HEADERS. */
export const REQUEST_HEADER_DOCS = {
  authorization: text(
    'An API key as a bearer token. Optional on every endpoint that does not require one.',
    'Bearer <API_KEY>',
  ),
  key: text('An API key, for callers that cannot set `Authorization`.', '<API_KEY>'),
  ifNoneMatch: text(
    'Entity tags that the client has stored, or `*`. If one of them matches (weak comparison), the response is `304` without a body.',
    'W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"',
  ),
  acceptSignature: text(
    'Asks for a signature by RFC 9421 over the method and target URI of the request, the status and `Content-Digest`. Browsers send `("unencoded-digest";sf)` with `tag="ed25519-integrity"` for `fetch(url, { integrity })`; that signature covers `Unencoded-Digest` instead. Other components and values are ignored. With a `nonce`, the response is not stored by caches.',
    'svc=("@method";req "@target-uri";req "@status" "content-digest");created;expires;tag="svc-response"',
  ),
  contentType: text(
    'Media type of a request body; `application/json`, in UTF-8.',
    'application/json',
  ),
  contentEncoding: text(
    'Content coding of a request body. Only `identity` is accepted.',
    'identity',
  ),
  origin: text(
    'Origin of the page that sends a request body. Browsers send it; any origin other than that of this service is refused.',
    'https://api.example.org',
  ),
  fetchSite: text(
    'Relationship between the page that sends a request body and this service. Browsers send it; requests from other sites are refused.',
    'same-origin',
  ),
  referer: text(
    'The page that a registration comes from. Its locale is used if the body has none.',
    'https://api.example.org/th/early-access',
  ),
  acceptLanguage: text(
    'Used to choose a locale if neither the body nor the page of a registration has one.',
    'th, en;q=0.8',
  ),
} satisfies HeaderDocs

/** The headers that a response may carry, by their key in HEADERS. */
export const RESPONSE_HEADER_DOCS = {
  requestId: {
    type: 'string',
    format: 'uuid',
    description:
      'Random ID of this response, equal to `requestId` in the body. It carries no identity.',
    example: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91',
  },
  apiVersion: text('Major version of the API.', API_VERSION),
  contentType: text('Media type of the body.', RESPONSE_CONTENT_TYPE),
  cacheControl: text(
    'How long the response may be reused: the value of the cache class of the endpoint, or `no-store` on every error.',
    ERROR_CACHE_CONTROL,
  ),
  age: whole(
    'Seconds since the response was created, if it is reused for several requests (RFC 9111). The signature does not cover it.',
    12,
  ),
  cdnCacheControl: text(
    '`no-store` on a successful cacheable read with a valid API key, so that shared caches do not store it (RFC 9213).',
    ERROR_CACHE_CONTROL,
  ),
  etag: text(
    'Weak entity tag: base64url SHA-256 of the canonical JSON (RFC 8785) of `data`. The same on every node, and the digest that the version history records.',
    'W/"47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"',
  ),
  vary: enumField(
    [READ_VARY],
    'Request headers that a cache must compare before it reuses the response.',
    READ_VARY,
  ),
  contentDigest: text(
    'SHA-256 of the exact body bytes (RFC 9530); part of the signed text.',
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
  ),
  signedAt: {
    type: 'string',
    format: 'date-time',
    description: 'When the response was signed, ISO 8601 UTC; part of the signed text.',
    example: EXAMPLE_INSTANT,
  },
  signature: {
    type: 'string',
    minLength: 88,
    maxLength: 88,
    description:
      'Ed25519 signature over the six lines of the signed text, base64. Omitted if no signing key is configured.',
    example: EXAMPLE_SIGNATURE,
  },
  signatureInput: text(
    'What the RFC 9421 signature covers, when it was created and expires, and the key ID. Sent on responses with a body whose request asks for it in `Accept-Signature`.',
    `svc=("@method";req "@target-uri";req "@status" "content-digest");created=${EXAMPLE_SECONDS};expires=${EXAMPLE_SECONDS + LIMITS.signatureMaxAgeSeconds};keyid="kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k";alg="ed25519";tag="svc-response"`,
  ),
  messageSignature: text(
    'Ed25519 signature by RFC 9421, as `Signature-Input` describes it.',
    `svc=:${EXAMPLE_SIGNATURE}:`,
  ),
  unencodedDigest: text(
    'SHA-256 of the body before any content coding. Sent only if `Accept-Signature` asks for a signature that covers it.',
    'sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:',
  ),
  revalidated: text(
    'Proof on a `304`: the time, and an Ed25519 signature that binds the target and the entity tag to it. It keeps a stored body verifiable after its own signature expires.',
    formatRevalidated(EXAMPLE_INSTANT, EXAMPLE_SIGNATURE),
  ),
  rateLimitLimit: whole(
    'Requests that the API key may make in one window. Sent only for requests with a valid key.',
    LIMITS.keyedRequests.requests,
  ),
  rateLimitRemaining: whole(
    'Requests that remain for the API key in this window. Sent only for requests with a valid key.',
    LIMITS.keyedRequests.requests - 1,
  ),
  rateLimitReset: whole(
    'Seconds until the window of the API key ends. Sent only for requests with a valid key.',
    42,
  ),
  retryAfter: {
    ...whole(
      'Seconds to wait before a retry. Sent on every `429`, and on a `503` if the wait is known.',
      42,
    ),
    minimum: 1,
  },
  allow: text(
    'The methods that the route supports. Sent on `405` and on preflight responses.',
    'GET, HEAD, OPTIONS',
  ),
  wwwAuthenticate: text(
    'On `401`: `Bearer` if the key is missing, with `error="invalid_token"` if the key was not accepted (RFC 6750).',
    'Bearer error="invalid_token"',
  ),
  deprecation: text(
    'On a deprecated endpoint: the time of its deprecation, as `@` and Unix seconds (RFC 9745).',
    `@${EXAMPLE_SECONDS}`,
  ),
  sunset: text(
    'On a deprecated endpoint: the time until which it is available, as an HTTP date (RFC 8594).',
    new Date(EXAMPLE_EPOCH_MS + LIMITS.deprecationNoticeDays * DAY_MS).toUTCString(),
  ),
  link: text(
    'Related resources (RFC 8288): the documents of this API on the index, the next page (`rel="next"`) of a list with pages, and the successor (`rel="successor-version"`) on a deprecated endpoint.',
    `<${READ_PATHS.openapi}>; rel="service-desc"; type="application/json"`,
  ),
  robotsTag: text(
    '`noindex, nofollow` on a preview deployment, which search engines must not index.',
    'noindex, nofollow',
  ),
  accessControlAllowOrigin: text(
    'Pages of every origin may read the response. Sent only on read endpoints.',
    CORS.allowOrigin,
  ),
  accessControlExposeHeaders: text(
    'Response headers that a page of another origin may read. Sent only on read endpoints.',
    CORS.exposeHeaders.join(', '),
  ),
  accessControlAllowMethods: text(
    'On a preflight response: the methods that a page of another origin may use.',
    CORS.allowMethods.join(', '),
  ),
  accessControlAllowHeaders: text(
    'On a preflight response: the request headers that a page of another origin may send.',
    CORS.allowHeaders.join(', '),
  ),
  accessControlMaxAge: whole(
    'On a preflight response: how many seconds it may be cached.',
    CORS.maxAgeSeconds,
  ),
} satisfies HeaderDocs

/** A header that a response may carry. */
export type ResponseHeader = keyof typeof RESPONSE_HEADER_DOCS

/** The entries of a table with the wire name of each header. */
export function headersOf(docs: HeaderDocs) {
  return Object.entries(docs).map(([key, { description: meaning, ...schema }]) => ({
    name: HEADERS[key as keyof typeof HEADERS],
    meaning,
    schema,
  }))
}
