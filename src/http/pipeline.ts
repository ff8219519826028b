import { randomUUID } from 'node:crypto'
import { ApiError } from '@public-api/contract/errors/api-error'
import type { Issuance } from '@public-api/contract/keys/issuance'
import { LIMITS } from '@public-api/contract/terms/limits'
import { formatInstant } from '@public-api/contract/text/instant'
import { KeyQuotaError, orKeysUnavailable, type ApiKeys } from '../service/api-keys/api-keys.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/logger.ts'
import type { Payload } from '../service/releases/payload.ts'
import type { ApiRequest, App, Reply } from './api-request.ts'
import { presentedKey } from './authenticate.ts'
import { matchesIfNoneMatch } from './conditional.ts'
import type { Exchange, ServedEndpoint } from './exchange.ts'
import { isIdentityCoding, isJsonMediaType } from './json-body.ts'
import { isOriginAllowed } from './origin-rule.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { Responder } from './respond.ts'
import type { Router } from './router.ts'

export interface PipelineDependencies {
  readonly router: Router
  readonly responder: Responder
  readonly apiKeys: ApiKeys
  /** The service's own origin, in the browsers' form. */
  readonly ownOrigin: string
  /** From the registry. No configuration changes it. */
  readonly issuance: Issuance
  readonly clock: Clock
  /** Default: a random UUID v4. */
  readonly newRequestId?: () => string
  readonly log: Log
}

const NO_BODY = new Uint8Array()

/** Creates the pipeline for API requests. It never throws and never rejects. */
export function createPipeline(dependencies: PipelineDependencies): App {
  const { router, responder, apiKeys, ownOrigin, issuance } = dependencies
  const { clock, log, newRequestId = () => randomUUID() } = dependencies
  const logRefusal = createRefusalLog(log)
  let lastMs = Number.NaN
  let lastInstant = ''

  function createExchange(request: ApiRequest): Exchange {
    const nowMs = clock.nowMs()
    // Requests of the same millisecond share the text, because formatting costs as much as all steps.
    if (nowMs !== lastMs) lastInstant = formatInstant(nowMs)
    lastMs = nowMs
    const found = router(request.path)
    return {
      request,
      nowMs,
      issuedAt: lastInstant,
      requestId: newRequestId(),
      route: found?.route,
      parameter: found?.parameter ?? '',
      endpoint: found?.route.endpoints.get(request.method),
      key: undefined,
      body: NO_BODY,
    }
  }

  /** The steps of every API request, in order. A plain read stays synchronous: it takes one turn of the event loop. */
  function serve(exchange: Exchange): Reply | Promise<Reply> {
    const { request, route, endpoint } = exchange
    if (route === undefined) throw new ApiError('NOT_FOUND')
    if (endpoint === undefined) {
      // A preflight (Fetch standard 3.2.2).
      if (request.method === 'OPTIONS' && route.isRead) return responder.preflight(exchange, route)
      throw new ApiError('METHOD_NOT_ALLOWED', { allow: route.allow })
    }
    const { row } = endpoint

    // While issuance is paused its endpoint refuses every request (contract decisions section 5).
    if (row.issuesKeys === true && !issuance.enabled) throw new ApiError('KEYS_UNAVAILABLE')

    const key = presentedKey(request)
    if (key === undefined && row.authentication === 'api-key') throw new ApiError('KEY_REQUIRED')
    if (key === undefined && row.request === undefined) return callHandler(exchange, endpoint)
    return checkAndServe(exchange, endpoint, key)
  }

  /** Continues with a request that has a key or a body. */
  async function checkAndServe(
    exchange: Exchange,
    endpoint: ServedEndpoint,
    key: string | undefined,
  ): Promise<Reply> {
    // A presented key is checked and counted; the request is never treated as anonymous (spec 5.4).
    if (key !== undefined) exchange.key = await orKeysUnavailable(() => apiKeys.check(key))
    if (endpoint.row.request !== undefined) exchange.body = await receiveBody(exchange.request)
    return callHandler(exchange, endpoint)
  }

  /**
   * A request with a body must come from a page of the service or from outside a browser (contract decisions section 4).
   * The body must have the JSON media type and be within its limit (contract decisions 3.15).
   */
  function receiveBody(request: ApiRequest): Promise<Uint8Array> {
    if (!isOriginAllowed(request, ownOrigin)) throw new ApiError('REQUEST_REJECTED')
    const isJson =
      isJsonMediaType(request.header('content-type')) &&
      isIdentityCoding(request.header('content-encoding'))
    if (!isJson) throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
    return request.readBody(LIMITS.maxBodyBytes)
  }

  function callHandler(exchange: Exchange, endpoint: ServedEndpoint): Reply | Promise<Reply> {
    const payload = endpoint.handler(exchange)
    return payload instanceof Promise
      ? payload.then((made) => respond(exchange, endpoint, made))
      : respond(exchange, endpoint, payload)
  }

  /** A client that has the current data gets 304. Preconditions apply to a read that would be 200 (RFC 9110 13.2.1). */
  function respond(exchange: Exchange, endpoint: ServedEndpoint, payload: Payload): Reply {
    const isUnchanged =
      endpoint.row.method === 'GET' &&
      matchesIfNoneMatch(exchange.request.header('if-none-match'), payload.etag)
    return isUnchanged
      ? responder.notModified(exchange, endpoint, payload)
      : responder.success(exchange, endpoint, payload)
  }

  /** Turns every error into a response: an ApiError into its catalog entry, others into the failure code of the endpoint. */
  function fail(exchange: Exchange, error: unknown): Reply {
    const { requestId } = exchange
    const endpoint = exchange.endpoint?.name
    const quota = error instanceof KeyQuotaError ? error.quota : exchange.key?.quota
    try {
      if (error instanceof ApiError) {
        const { code, details, cause: err } = error
        if (err !== undefined) logRefusal(code, { requestId, endpoint, err }, exchange.nowMs)
        return responder.failure(exchange, code, details, quota)
      }
      const code = exchange.endpoint?.row.failure ?? 'SNAPSHOT_UNAVAILABLE'
      log.error({ requestId, endpoint, code, err: error }, 'A request failed')
      return responder.failure(exchange, code, {}, quota)
    } catch (cause) {
      log.error({ requestId, endpoint, err: cause }, 'A response could not be signed')
      return responder.unsigned(exchange, quota)
    }
  }

  return (request) => {
    const exchange = createExchange(request)
    try {
      const reply = serve(exchange)
      return reply instanceof Promise
        ? reply.catch((error: unknown) => fail(exchange, error))
        : reply
    } catch (error) {
      return fail(exchange, error)
    }
  }
}
