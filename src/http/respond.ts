import type { ApiErrorDetails } from '@public-api/contract/errors/api-error'
import { ERRORS, type ErrorCode } from '@public-api/contract/errors/errors'
import {
  createErrorBody,
  formatError,
  formatSuccess,
  formatSuccessStart,
} from '@public-api/contract/http/envelope'
import { formatContentDigest, formatSignedText } from '@public-api/contract/http/signature'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { API_VERSION } from '@public-api/contract/terms/api-version'
import {
  ERROR_CACHE_CONTROL,
  HEADERS,
  NO_INDEX_HEADERS,
  RESPONSE_CONTENT_TYPE,
} from '@public-api/contract/terms/headers'
import { sha256Base64, sha256Base64OfParts } from '../crypto/sha256.ts'
import type { KeyQuota } from '../service/api-keys/api-keys.ts'
import type { Payload } from '../service/releases/payload.ts'
import type { BodyParts, Reply } from './api-request.ts'
import type { Exchange, Route, ServedEndpoint } from './exchange.ts'
import { CORS_HEADERS, createHeaderTemplate, PREFLIGHT_HEADERS } from './header-templates.ts'
import { type MessageSigning, signMessage } from './message-signature.ts'
import { createRevalidationProofs } from './revalidation-proofs.ts'

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

/** Paths with only these methods have no CORS header in any response (contract decisions 3.8). */
const WRITE_METHODS: ReadonlySet<string> = new Set(
  Object.values(ENDPOINTS).flatMap(({ method }) => (method === 'GET' ? [] : [method])),
)

function errorHeaders({ request, route }: Exchange): readonly string[] {
  // An unknown path gets the CORS headers of a read, so that pages can read the error.
  const readable = route === undefined || route.isRead
  return readable && !WRITE_METHODS.has(request.method) ? CORS_HEADERS : []
}

/**
 * Adds the body's length and the headers that identify and sign the response. HEAD has the length only (contract
 * decisions 3.5).
 */
function complete(
  exchange: Exchange,
  signing: MessageSigning | undefined,
  status: number,
  headers: string[],
  body: string | Buffer | BodyParts,
  digest?: string,
): Reply {
  const { request, requestId, nowMs, issuedAt } = exchange
  const isWhole = typeof body === 'string' || body instanceof Uint8Array
  const length = isWhole
    ? Buffer.byteLength(body)
    : body.reduce((sum, part) => sum + Buffer.byteLength(part), 0)
  headers.push(HEADERS.contentLength, String(length))
  const { method, target } = request
  if (method === 'HEAD') return { status, headers, body: undefined }
  headers.push(HEADERS.requestId, requestId)
  if (signing !== undefined) {
    const contentDigest = formatContentDigest(
      digest ?? (isWhole ? sha256Base64(body) : sha256Base64OfParts(body)),
    )
    const text = formatSignedText({ method, target, status, signedAt: issuedAt, contentDigest })
    headers.push(HEADERS.contentDigest, contentDigest, HEADERS.signedAt, issuedAt)
    headers.push(HEADERS.signature, signing.signer.sign(text))
    const accepted = request.header('accept-signature')
    if (accepted !== undefined) {
      const message = { method, target, status, contentDigest, nowMs }
      const { headers: added, hasNonce } = signMessage(accepted, message, signing)
      headers.push(...added)
      if (hasNonce) headers[headers.indexOf(HEADERS.cacheControl) + 1] = ERROR_CACHE_CONTROL
    }
  }
  return { status, headers, body }
}

/** From this length on, responses share the bytes of their data, so that many unsent ones take little memory. */
const MIN_SHARED_LENGTH = 16_384

/** A function that computes its value of each object once. */
function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>()
  return (key) => {
    const value = known.get(key) ?? compute(key)
    known.set(key, value)
    return value
  }
}

/**
 * Writes responses: the only place that decides which headers a response has. Without a signer they are unsigned (spec
 * 5.7); `noIndex` asks search engines not to index (a staging deployment).
 */
export function createResponder(signing: MessageSigning | undefined, noIndex: boolean) {
  const common = [HEADERS.apiVersion, API_VERSION, ...(noIndex ? NO_INDEX_HEADERS : [])]
  const templateOf = memoize((endpoint: ServedEndpoint) => createHeaderTemplate(endpoint, common))
  const bytesOf = memoize(({ json }: Payload) => Buffer.from(json))
  const documentDigestOf = memoize(({ json }: Payload) => sha256Base64(json))
  const proofOf = signing && createRevalidationProofs(signing.signer)

  function fail(
    exchange: Exchange,
    code: ErrorCode,
    details: ApiErrorDetails,
    quota: KeyQuota | undefined,
    failureSigning: MessageSigning | undefined,
  ): Reply {
    const error = createErrorBody(code, details.retryAfterSeconds, details.message)
    const headers = [
      HEADERS.contentType,
      RESPONSE_CONTENT_TYPE,
      HEADERS.cacheControl,
      ERROR_CACHE_CONTROL,
      ...errorHeaders(exchange),
      ...common,
      ...challengeHeaders(code),
      ...quotaHeaders(quota),
    ]
    if (details.allow !== undefined) headers.push(HEADERS.allow, details.allow)
    if (error.retryAfterSeconds !== undefined) {
      headers.push(HEADERS.retryAfter, String(error.retryAfterSeconds))
    }
    return complete(exchange, failureSigning, error.status, headers, formatError(exchange, error))
  }

  return {
    success(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply {
      const { success, schemaId, status } = templateOf(endpoint)
      const { key } = exchange
      const headers = [...success]
      if (endpoint.row.method === 'GET') headers.push(HEADERS.etag, payload.etag)
      if (payload.nextPage !== undefined) {
        headers.push(HEADERS.link, `<${payload.nextPage}>; rel="next"`)
      }
      if (key !== undefined) {
        headers.push(HEADERS.cdnCacheControl, 'no-store', ...quotaHeaders(key.quota))
      }
      if (schemaId === undefined) {
        const digest = documentDigestOf(payload)
        return complete(exchange, signing, status, headers, bytesOf(payload), digest)
      }
      if (payload.json.length < MIN_SHARED_LENGTH) {
        const body = formatSuccess(schemaId, exchange, payload.json)
        return complete(exchange, signing, status, headers, body)
      }
      const parts: BodyParts = [formatSuccessStart(schemaId, exchange), bytesOf(payload), '}']
      return complete(exchange, signing, status, headers, parts)
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
      const headers = [...PREFLIGHT_HEADERS, HEADERS.allow, route.allow, ...common]
      headers.push(HEADERS.requestId, exchange.requestId)
      return { status: 204, headers, body: undefined }
    },

    failure: (exchange: Exchange, code: ErrorCode, details: ApiErrorDetails, quota?: KeyQuota) =>
      fail(exchange, code, details, quota, signing),

    /** The fallback if signing itself fails: 503 SIGNING_UNAVAILABLE without a signature. */
    unsigned: (exchange: Exchange, quota?: KeyQuota) =>
      fail(exchange, 'SIGNING_UNAVAILABLE', {}, quota, undefined),
  }
}

export type Responder = ReturnType<typeof createResponder>
