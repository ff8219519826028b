import { API_VERSION, BASE_PATH } from '../contract/api-version.ts'
import { ENDPOINTS, type Endpoint } from '../contract/endpoints.ts'
import { errorOf, type ErrorCode } from '../contract/errors.ts'
import { errorBodyOf, formatError, formatSuccess, SCHEMA_IDS } from '../contract/envelope.ts'
import {
  CACHE_CLASSES,
  ERROR_CACHE_CONTROL,
  HEADERS,
  NO_INDEX_HEADERS,
  READ_VARY,
  RESPONSE_CONTENT_TYPE,
} from '../contract/headers.ts'
import { LINKS } from '../contract/links.ts'
import { formatContentDigest, formatSignedText } from '../contract/signature.ts'
import type { ApiErrorDetails } from '../contract/api-error.ts'
import { sha256Base64 } from '../crypto/sha256.ts'
import type { ResponseSigner } from '../crypto/response-signer.ts'
import type { KeyQuota } from '../service/api-keys.ts'
import type { Payload } from '../service/payload.ts'
import type { Reply } from './api-request.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from './cors.ts'
import type { Exchange, Route, ServedEndpoint } from './exchange.ts'
import { createRevalidationProofs } from './revalidation-proofs.ts'
import { WRITE_METHODS } from './router.ts'

/** Writes answers: the one place that knows which headers go with which outcome. */
export interface Responder {
  /** 200 or 201 with the enveloped data, signed. */
  success(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply
  /** 304 with its proof (contract decisions 3.3 and 3.4). */
  notModified(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply
  /** 204 to OPTIONS. */
  preflight(exchange: Exchange, route: Route): Reply
  /** An error of the catalog, signed. */
  failure(exchange: Exchange, code: ErrorCode, details: ApiErrorDetails, quota?: KeyQuota): Reply
  /** The last resort, when signing itself failed: 503 SIGNING_UNAVAILABLE without a signature. */
  unsigned(exchange: Exchange, quota?: KeyQuota): Reply
}

/** What a responder is made of. */
export interface ResponderParts {
  /** Undefined where no signing key is configured: answers are unsigned (spec 5.7). */
  readonly signer: ResponseSigner | undefined
  /** Whether search engines are told to stay away (a preview deployment). */
  readonly noIndex: boolean
}

/** Everything about an endpoint's success that no request changes. */
interface Prepared {
  readonly success: readonly string[]
  readonly notModified: readonly string[]
  readonly schemaId: string | undefined
  /** Bytes of the envelope around the data. */
  readonly envelopeBytes: number
  readonly status: number
}

/** A success's body length does not depend on these: a UUID has 36 characters and a timestamp 24. */
const SAMPLE_IDENTITY = {
  requestId: '00000000-0000-4000-8000-000000000000',
  issuedAt: '2000-01-01T00:00:00.000Z',
}

/** Discovery by link relations on the base path: RFC 8631 and RFC 8288. */
const INDEX_LINK = [
  `<${LINKS.openapi}>; rel="service-desc"; type="application/json"`,
  `<${LINKS.docs}>; rel="service-doc"; type="text/html"`,
  `<${LINKS.policy}>; rel="service-meta"; type="application/json"`,
  `<${ENDPOINTS.status.path}>; rel="status"; type="application/json"`,
].join(', ')

/** Header values that announce an endpoint's end (RFC 9745, RFC 8594). */
function deprecationHeaders({ deprecation }: Endpoint): readonly string[] {
  if (deprecation === undefined) return []
  return [
    HEADERS.deprecation,
    `@${Math.floor(Date.parse(deprecation.deprecatedAt) / 1000)}`,
    HEADERS.sunset,
    new Date(deprecation.sunsetAt).toUTCString(),
  ]
}

function linkHeader({ path, deprecation }: Endpoint): readonly string[] {
  const links = [
    ...(path === BASE_PATH ? [INDEX_LINK] : []),
    ...(deprecation === undefined ? [] : [`<${deprecation.successor}>; rel="successor-version"`]),
  ]
  return links.length === 0 ? [] : [HEADERS.link, links.join(', ')]
}

function quotaHeaders(quota: KeyQuota | undefined): readonly string[] {
  if (quota === undefined) return []
  return [
    HEADERS.rateLimitLimit,
    String(quota.limit),
    HEADERS.rateLimitRemaining,
    String(quota.remaining),
    HEADERS.rateLimitReset,
    String(quota.resetSeconds),
  ]
}

/** RFC 6750 section 3: why the key was refused, and no more than that. */
function challengeHeaders(code: ErrorCode): readonly string[] {
  if (errorOf(code).status !== 401) return []
  return [
    HEADERS.wwwAuthenticate,
    code === 'KEY_REQUIRED' ? 'Bearer' : 'Bearer error="invalid_token"',
  ]
}

/** Makes the responder of a deployment. */
export function createResponder({ signer, noIndex }: ResponderParts): Responder {
  const common = [HEADERS.apiVersion, API_VERSION, ...(noIndex ? NO_INDEX_HEADERS : [])]
  const proofOf = signer === undefined ? undefined : createRevalidationProofs(signer)
  const prepared = new Map<ServedEndpoint, Prepared>()

  function prepare({ name, row }: ServedEndpoint): Prepared {
    if (row.success === undefined) throw new Error(`${name} has no success to answer with`)
    const caching = [HEADERS.cacheControl, CACHE_CLASSES[row.cacheClass].cacheControl]
    const vary = row.cacheClass === 'none' ? [] : [HEADERS.vary, READ_VARY]
    const cors = row.method === 'GET' ? CORS_HEADERS : []
    const always = [...caching, ...vary, ...cors, ...common]
    const { envelope, status } = row.success
    const schemaId = envelope === 'none' ? undefined : SCHEMA_IDS[envelope]
    return {
      success: [
        HEADERS.contentType,
        RESPONSE_CONTENT_TYPE,
        ...always,
        ...deprecationHeaders(row),
        ...linkHeader(row),
      ],
      notModified: always,
      schemaId,
      envelopeBytes:
        schemaId === undefined
          ? 0
          : Buffer.byteLength(formatSuccess(schemaId, SAMPLE_IDENTITY, '')),
      status,
    }
  }

  function preparedOf(endpoint: ServedEndpoint): Prepared {
    const known = prepared.get(endpoint)
    if (known !== undefined) return known
    const made = prepare(endpoint)
    prepared.set(endpoint, made)
    return made
  }

  /** The headers that identify and sign one answer; a HEAD has none of them (contract decisions 3.5). */
  function proofHeaders(
    { request, requestId, issuedAt }: Exchange,
    status: number,
    body: string,
  ): string[] {
    if (signer === undefined) return [HEADERS.requestId, requestId]
    const contentDigest = formatContentDigest(sha256Base64(body))
    const { method, target } = request
    const text = formatSignedText({ method, target, status, signedAt: issuedAt, contentDigest })
    return [
      HEADERS.requestId,
      requestId,
      HEADERS.contentDigest,
      contentDigest,
      HEADERS.signedAt,
      issuedAt,
      HEADERS.signature,
      signer.sign(text),
    ]
  }

  function errorHeaders({ request, route }: Exchange): readonly string[] {
    // An unknown path is answered like a read, so that a page can see what went wrong.
    const readable = route === undefined || route.isRead
    return readable && !WRITE_METHODS.has(request.method) ? CORS_HEADERS : []
  }

  return {
    success(exchange, endpoint, payload) {
      const { success, schemaId, envelopeBytes, status } = preparedOf(endpoint)
      const { request, key } = exchange
      const headers = [...success]
      if (endpoint.row.method === 'GET') headers.push(HEADERS.etag, payload.etag)
      if (key !== undefined) {
        headers.push(HEADERS.cdnCacheControl, 'no-store', ...quotaHeaders(key.quota))
      }
      headers.push(HEADERS.contentLength, String(envelopeBytes + payload.bytes))
      if (request.method === 'HEAD') return { status, headers, body: undefined }
      const body =
        schemaId === undefined ? payload.json : formatSuccess(schemaId, exchange, payload.json)
      headers.push(...proofHeaders(exchange, status, body))
      return { status, headers, body }
    },

    notModified(exchange, endpoint, payload) {
      const { request, nowMs, issuedAt, key } = exchange
      const headers = [
        ...preparedOf(endpoint).notModified,
        HEADERS.etag,
        payload.etag,
        ...quotaHeaders(key?.quota),
      ]
      if (proofOf !== undefined) {
        headers.push(
          HEADERS.revalidated,
          proofOf(request.method, request.target, payload.etag, nowMs, issuedAt),
        )
      }
      return { status: 304, headers, body: undefined }
    },

    preflight(exchange, route) {
      return {
        status: 204,
        headers: [
          ...PREFLIGHT_HEADERS,
          HEADERS.allow,
          route.allow,
          ...common,
          HEADERS.requestId,
          exchange.requestId,
        ],
        body: undefined,
      }
    },

    failure(exchange, code, details, quota) {
      // Every 429 tells a wait (spec section 7), also one whose thrower does not know what is left of the window.
      const error = errorBodyOf(code, details.retryAfterSeconds ?? errorOf(code).retryAfterSeconds)
      const body = formatError(exchange, error)
      const headers = [
        HEADERS.contentType,
        RESPONSE_CONTENT_TYPE,
        HEADERS.cacheControl,
        ERROR_CACHE_CONTROL,
        ...errorHeaders(exchange),
        ...common,
        ...challengeHeaders(code),
        ...quotaHeaders(quota),
        HEADERS.contentLength,
        String(Buffer.byteLength(body)),
      ]
      if (details.allow !== undefined) headers.push(HEADERS.allow, details.allow)
      if (error.retryAfterSeconds !== undefined) {
        headers.push(HEADERS.retryAfter, String(error.retryAfterSeconds))
      }
      if (exchange.request.method === 'HEAD')
        return { status: error.status, headers, body: undefined }
      headers.push(...proofHeaders(exchange, error.status, body))
      return { status: error.status, headers, body }
    },

    unsigned(exchange, quota) {
      const { failure } = createResponder({ signer: undefined, noIndex })
      return failure(exchange, 'SIGNING_UNAVAILABLE', {}, quota)
    },
  }
}
