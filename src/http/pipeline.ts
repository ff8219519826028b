import { ApiError } from '../contract/api-error.ts'
import { HEADERS } from '../contract/headers.ts'
import { formatInstant } from '../contract/instant.ts'
import type { Issuance } from '../contract/issuance.ts'
import { LIMITS } from '../contract/limits.ts'
import { KeyQuotaError, type ApiKeys, type KeyQuota } from '../service/api-keys.ts'
import type { Clock } from '../service/clock.ts'
import type { Log } from '../service/log.ts'
import type { ApiRequest, Reply } from './api-request.ts'
import { presentedKey } from './authenticate.ts'
import { matchesIfNoneMatch } from './conditional.ts'
import type { Exchange } from './exchange.ts'
import { isIdentityCoding, isJsonMediaType } from './json-body.ts'
import { isOriginAdmitted } from './origin-rule.ts'
import { createRefusalLog } from './refusal-log.ts'
import type { Responder } from './respond.ts'
import type { Router } from './router.ts'

/** What the steps work with. */
export interface PipelineParts {
  readonly router: Router
  readonly responder: Responder
  readonly apiKeys: ApiKeys
  /** The service's own origin, as browsers write it. */
  readonly ownOrigin: string
  /** The registry's own word on issuing keys; nothing else reaches it. */
  readonly issuance: Issuance
  readonly clock: Clock
  /** A random UUID v4, another one each time. */
  readonly newRequestId: () => string
  readonly log: Log
}

/**
 * A step looks at the exchange, adds what it found out, and either ends it with a reply or lets it go on. A refusal is
 * thrown as ApiError. A step that need not wait gives no promise, so that a plain read takes no turn of the event loop.
 */
type Step = (exchange: Exchange, parts: PipelineParts) => Outcome | Promise<Outcome>
type Outcome = Reply | void

const CONTENT_ENCODING = HEADERS.contentEncoding.toLowerCase()
const CONTENT_TYPE = HEADERS.contentType.toLowerCase()
const IF_NONE_MATCH = HEADERS.ifNoneMatch.toLowerCase()

/** Every API request takes these steps in this order. */
const STEPS: readonly Step[] = [
  findRoute,
  admitMethod,
  holdIssuance,
  checkKey,
  admitOrigin,
  receiveBody,
  callHandler,
  revalidate,
  respond,
]

/** What a step says that finds the one before it left out. */
const OUT_OF_ORDER = 'The steps of the pipeline are not in their order'

/** The path must be one of the registry's. */
function findRoute(exchange: Exchange, { router }: PipelineParts): void {
  const found = router(exchange.request.path)
  if (found === undefined) throw new ApiError('NOT_FOUND')
  exchange.route = found.route
  exchange.parameter = found.parameter
}

/** The method must be one of the path's; a preflight ends here (Fetch standard 3.2.2). */
function admitMethod(exchange: Exchange, { responder }: PipelineParts): Reply | undefined {
  const { request, route } = exchange
  if (route === undefined) throw new Error(OUT_OF_ORDER)
  exchange.endpoint = route.endpoints.get(request.method)
  if (exchange.endpoint !== undefined) return undefined
  if (request.method === 'OPTIONS' && route.isRead) return responder.preflight(exchange, route)
  throw new ApiError('METHOD_NOT_ALLOWED', { allow: route.allow })
}

/** While issuance is paused its endpoint refuses every request, whatever it carries (contract decisions section 5). */
function holdIssuance({ endpoint }: Exchange, { issuance }: PipelineParts): void {
  if (endpoint?.row.issuesKeys === true && !issuance.enabled) throw new ApiError('KEYS_UNAVAILABLE')
}

/**
 * A key that is presented to an endpoint is checked and counted; it is never taken for anonymous (spec 5.4). What is no
 * endpoint, or asks for one in a way it does not have, ended before this, with or without a key.
 */
function checkKey(exchange: Exchange, { apiKeys }: PipelineParts): void | Promise<void> {
  const key = presentedKey(exchange.request)
  if (key !== undefined) return checkPresented(exchange, apiKeys, key)
  if (exchange.endpoint?.row.authentication === 'api-key') throw new ApiError('KEY_REQUIRED')
  return undefined
}

/** Whatever keeps a key from being checked is the key store's failure, not that of the endpoint it was sent to. */
function checkPresented(exchange: Exchange, apiKeys: ApiKeys, key: string): void | Promise<void> {
  function giveUp(cause: unknown): never {
    throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
  }
  try {
    const checked = apiKeys.check(key)
    if (checked instanceof Promise) {
      return checked.then((found) => {
        exchange.key = found
      }, giveUp)
    }
    exchange.key = checked
    return undefined
  } catch (cause) {
    return giveUp(cause)
  }
}

/** What takes a body may be sent by the service's own pages or by no page at all (contract decisions section 4). */
function admitOrigin({ request, endpoint }: Exchange, { ownOrigin }: PipelineParts): void {
  if (endpoint?.row.request === undefined || isOriginAdmitted(request, ownOrigin)) return
  throw new ApiError('REQUEST_REJECTED')
}

/** The body must be JSON by its media type and within its limit (contract decisions 3.15); what it says comes later. */
function receiveBody(exchange: Exchange): void | Promise<void> {
  const { request, endpoint } = exchange
  if (endpoint?.row.request === undefined) return undefined
  const isJson =
    isJsonMediaType(request.header(CONTENT_TYPE)) &&
    isIdentityCoding(request.header(CONTENT_ENCODING))
  if (!isJson) throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  return request.readBody(LIMITS.maxBodyBytes).then((body) => {
    exchange.body = body
  })
}

/** The endpoint's own work. */
function callHandler(exchange: Exchange): void | Promise<void> {
  if (exchange.endpoint === undefined) throw new Error(OUT_OF_ORDER)
  const payload = exchange.endpoint.handler(exchange)
  if (payload instanceof Promise) {
    return payload.then((made) => {
      exchange.payload = made
    })
  }
  exchange.payload = payload
}

/** A reader who has the current data already gets 304. Only a read that succeeded comes this far (RFC 9110 13.2.1). */
function revalidate(exchange: Exchange, { responder }: PipelineParts): Reply | undefined {
  const { request, endpoint, payload } = exchange
  if (endpoint?.row.method !== 'GET' || payload === undefined) return undefined
  const known = request.header(IF_NONE_MATCH)
  if (known === undefined || !matchesIfNoneMatch(known, payload.etag)) return undefined
  return responder.notModified(exchange, endpoint, payload)
}

/** The full answer. */
function respond(exchange: Exchange, { responder }: PipelineParts): Reply {
  const { endpoint, payload } = exchange
  if (endpoint === undefined || payload === undefined) throw new Error(OUT_OF_ORDER)
  return responder.success(exchange, endpoint, payload)
}

function walk(exchange: Exchange, parts: PipelineParts, from: number): Reply | Promise<Reply> {
  for (let index = from; index < STEPS.length; index += 1) {
    const outcome = STEPS[index]?.(exchange, parts)
    if (outcome instanceof Promise) {
      return outcome.then((reply) => reply ?? walk(exchange, parts, index + 1))
    }
    if (outcome !== undefined) return outcome
  }
  throw new Error('The last step gives a reply')
}

/** The one exit for errors: a refusal becomes its catalog entry, anything else the endpoint's own failure and a log line. */
function fail(
  exchange: Exchange,
  { responder, log }: PipelineParts,
  tellRefusal: ReturnType<typeof createRefusalLog>,
  error: unknown,
): Reply {
  const { requestId, endpoint } = exchange
  const quota: KeyQuota | undefined =
    error instanceof KeyQuotaError ? error.quota : exchange.key?.quota
  try {
    if (error instanceof ApiError) {
      if (error.cause !== undefined) {
        const { code, cause: err } = error
        tellRefusal({ requestId, endpoint: endpoint?.name, code, err }, exchange.nowMs)
      }
      return responder.failure(exchange, error.code, error.details, quota)
    }
    const code = endpoint?.row.failure ?? 'SNAPSHOT_UNAVAILABLE'
    log.error({ requestId, endpoint: endpoint?.name, code, err: error }, 'A request failed')
    return responder.failure(exchange, code, {}, quota)
  } catch (cause) {
    log.error({ requestId, endpoint: endpoint?.name, err: cause }, 'An answer could not be signed')
    return responder.unsigned(exchange, quota)
  }
}

/** Writes instants. Requests of the same millisecond share one text, since writing it costs as much as all the steps. */
function createInstantWriter(): (nowMs: number) => string {
  let lastMs = Number.NaN
  let last = ''
  return (nowMs) => {
    if (nowMs !== lastMs) {
      last = formatInstant(nowMs)
      lastMs = nowMs
    }
    return last
  }
}

/** The pipeline: every API request in, its reply out. Never throws and never rejects. */
export function createPipeline(
  parts: PipelineParts,
): (request: ApiRequest) => Reply | Promise<Reply> {
  const writeInstant = createInstantWriter()
  const tellRefusal = createRefusalLog(parts.log)
  return (request) => {
    const nowMs = parts.clock.nowMs()
    const exchange: Exchange = {
      request,
      nowMs,
      issuedAt: writeInstant(nowMs),
      requestId: parts.newRequestId(),
      route: undefined,
      parameter: '',
      endpoint: undefined,
      key: undefined,
      body: undefined,
      payload: undefined,
    }
    try {
      const reply = walk(exchange, parts, 0)
      return reply instanceof Promise
        ? reply.catch((error: unknown) => fail(exchange, parts, tellRefusal, error))
        : reply
    } catch (error) {
      return fail(exchange, parts, tellRefusal, error)
    }
  }
}
