import { ERRORS, type ErrorCode } from '../contract/errors.ts'
import { createErrorBody, formatError, formatSuccess } from '../contract/envelope.ts'
import { ERROR_CACHE_CONTROL, HEADERS, RESPONSE_CONTENT_TYPE } from '../contract/headers.ts'
import { formatContentDigest, formatSignedText } from '../contract/signature.ts'
import type { ApiErrorDetails } from '../contract/api-error.ts'
import { sha256Base64 } from '../crypto/sha256.ts'
import type { ResponseSigner } from '../crypto/response-signer.ts'
import type { KeyQuota } from '../service/api-keys.ts'
import type { Payload } from '../service/payload.ts'
import type { Reply } from './api-request.ts'
import type { Exchange, Route, ServedEndpoint } from './exchange.ts'
import {
  commonHeaders,
  CORS_HEADERS,
  createHeaderTemplates,
  PREFLIGHT_HEADERS,
} from './header-templates.ts'
import { createRevalidationProofs } from './revalidation-proofs.ts'
import { WRITE_METHODS } from './router.ts'

interface ResponderOptions {
  /** Undefined without a signing key: responses are unsigned (spec 5.7). */
  readonly signer: ResponseSigner | undefined
  /** Whether responses ask search engines not to index (a preview deployment). */
  readonly noIndex: boolean
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

/** RFC 6750 section 3: why the key was refused, without further details. */
function challengeHeaders(code: ErrorCode): readonly string[] {
  if (ERRORS[code].status !== 401) return []
  return [
    HEADERS.wwwAuthenticate,
    code === 'KEY_REQUIRED' ? 'Bearer' : 'Bearer error="invalid_token"',
  ]
}

/** The headers that identify and sign a response; HEAD has none of them (contract decisions 3.5). */
function proofHeaders(
  signer: ResponseSigner | undefined,
  { request, requestId, issuedAt }: Exchange,
  status: number,
  digest: () => string,
): string[] {
  if (signer === undefined) return [HEADERS.requestId, requestId]
  const contentDigest = formatContentDigest(digest())
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
  // An unknown path gets the CORS headers of a read, so that pages can read the error.
  const readable = route === undefined || route.isRead
  return readable && !WRITE_METHODS.has(request.method) ? CORS_HEADERS : []
}

/** Creates each body without an envelope once, so that unsent responses share a document of about 100 kB. */
function createDocumentBodies() {
  const bodies = new WeakMap<Payload, { readonly bytes: Buffer; readonly digest: string }>()
  return (payload: Payload) => {
    const known = bodies.get(payload)
    if (known !== undefined) return known
    const body = { bytes: Buffer.from(payload.json), digest: sha256Base64(payload.json) }
    bodies.set(payload, body)
    return body
  }
}

/** Writes responses: the only place that decides which headers a response has. */
export function createResponder({ signer, noIndex }: ResponderOptions) {
  const common = commonHeaders(noIndex)
  const templateOf = createHeaderTemplates(common)
  const documentBodyOf = createDocumentBodies()
  const proofOf = signer === undefined ? undefined : createRevalidationProofs(signer)

  function fail(
    exchange: Exchange,
    code: ErrorCode,
    details: ApiErrorDetails,
    quota: KeyQuota | undefined,
    failureSigner: ResponseSigner | undefined,
  ): Reply {
    const error = createErrorBody(code, details.retryAfterSeconds)
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
    const { status } = error
    if (exchange.request.method === 'HEAD') return { status, headers, body: undefined }
    headers.push(...proofHeaders(failureSigner, exchange, status, () => sha256Base64(body)))
    return { status, headers, body }
  }

  return {
    success(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply {
      const { success, schemaId, envelopeBytes, status } = templateOf(endpoint)
      const { request, key } = exchange
      const headers = [...success]
      if (endpoint.row.method === 'GET') headers.push(HEADERS.etag, payload.etag)
      if (payload.nextPage !== undefined) {
        headers.push(HEADERS.link, `<${payload.nextPage}>; rel="next"`)
      }
      if (key !== undefined) {
        headers.push(HEADERS.cdnCacheControl, 'no-store', ...quotaHeaders(key.quota))
      }
      headers.push(HEADERS.contentLength, String(envelopeBytes + payload.bytes))
      if (request.method === 'HEAD') return { status, headers, body: undefined }
      if (schemaId === undefined) {
        const { bytes, digest } = documentBodyOf(payload)
        headers.push(...proofHeaders(signer, exchange, status, () => digest))
        return { status, headers, body: bytes }
      }
      const body = formatSuccess(schemaId, exchange, payload.json)
      headers.push(...proofHeaders(signer, exchange, status, () => sha256Base64(body)))
      return { status, headers, body }
    },

    /** 304 with its proof (contract decisions 3.3 and 3.4). */
    notModified(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply {
      const { request, nowMs, issuedAt, key } = exchange
      const headers = [
        ...templateOf(endpoint).notModified,
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

    preflight(exchange: Exchange, route: Route): Reply {
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

    failure: (exchange: Exchange, code: ErrorCode, details: ApiErrorDetails, quota?: KeyQuota) =>
      fail(exchange, code, details, quota, signer),

    /** The fallback if signing itself fails: 503 SIGNING_UNAVAILABLE without a signature. */
    unsigned: (exchange: Exchange, quota?: KeyQuota) =>
      fail(exchange, 'SIGNING_UNAVAILABLE', {}, quota, undefined),
  }
}

export type Responder = ReturnType<typeof createResponder>
