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
  readonly newRequestId: () => string
  readonly log: Log
}

/**
 * A step reads the exchange, adds to it, and ends it by returning a reply or throwing an ApiError. A step that does
 * not wait returns no promise, so that a plain read takes one turn of the event loop.
 */
type Step = (exchange: Exchange, dependencies: PipelineDependencies) => Outcome | Promise<Outcome>
type Outcome = Reply | void

const CONTENT_ENCODING = HEADERS.contentEncoding.toLowerCase()
const CONTENT_TYPE = HEADERS.contentType.toLowerCase()
const IF_NONE_MATCH = HEADERS.ifNoneMatch.toLowerCase()

/** The steps of every API request, in order. */
const STEPS: readonly Step[] = [
  findRoute,
  checkMethod,
  refuseWhileIssuancePaused,
  checkKey,
  checkOrigin,
  receiveBody,
  callHandler,
  evaluatePreconditions,
  respond,
]

/** Thrown by a step that needs what an earlier step sets. */
const OUT_OF_ORDER = 'The steps of the pipeline are in the wrong order'

/** Requires a path of the registry. */
function findRoute(exchange: Exchange, { router }: PipelineDependencies): void {
  const found = router(exchange.request.path)
  if (found === undefined) throw new ApiError('NOT_FOUND')
  exchange.route = found.route
  exchange.parameter = found.parameter
}

/** Requires a method of the path. A preflight ends here (Fetch standard 3.2.2). */
function checkMethod(exchange: Exchange, { responder }: PipelineDependencies): Reply | undefined {
  const { request, route } = exchange
  if (route === undefined) throw new Error(OUT_OF_ORDER)
  exchange.endpoint = route.endpoints.get(request.method)
  if (exchange.endpoint !== undefined) return undefined
  if (request.method === 'OPTIONS' && route.isRead) return responder.preflight(exchange, route)
  throw new ApiError('METHOD_NOT_ALLOWED', { allow: route.allow })
}

/** While issuance is paused its endpoint refuses every request (contract decisions section 5). */
function refuseWhileIssuancePaused(
  { endpoint }: Exchange,
  { issuance }: PipelineDependencies,
): void {
  if (endpoint?.row.issuesKeys === true && !issuance.enabled) throw new ApiError('KEYS_UNAVAILABLE')
}

/**
 * A presented key is checked and counted; the request is never treated as anonymous (spec 5.4). Requests for an
 * unknown path or method have ended before.
 */
function checkKey(exchange: Exchange, { apiKeys }: PipelineDependencies): void | Promise<void> {
  const key = presentedKey(exchange.request)
  if (key !== undefined) return checkPresented(exchange, apiKeys, key)
  if (exchange.endpoint?.row.authentication === 'api-key') throw new ApiError('KEY_REQUIRED')
  return undefined
}

async function checkPresented(exchange: Exchange, apiKeys: ApiKeys, key: string): Promise<void> {
  try {
    exchange.key = await apiKeys.check(key)
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError('KEYS_UNAVAILABLE', { cause })
  }
}

/** A request with a body must come from a page of the service or from outside a browser (contract decisions section 4). */
function checkOrigin({ request, endpoint }: Exchange, { ownOrigin }: PipelineDependencies): void {
  if (endpoint?.row.request === undefined || isOriginAllowed(request, ownOrigin)) return
  throw new ApiError('REQUEST_REJECTED')
}

/** The body must have the JSON media type and be within its limit (contract decisions 3.15). */
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

/** A client that has the current data gets 304. Preconditions apply to a read that would be 200 (RFC 9110 13.2.1). */
function evaluatePreconditions(
  exchange: Exchange,
  { responder }: PipelineDependencies,
): Reply | undefined {
  const { request, endpoint, payload } = exchange
  if (endpoint?.row.method !== 'GET' || payload === undefined) return undefined
  const known = request.header(IF_NONE_MATCH)
  if (known === undefined || !matchesIfNoneMatch(known, payload.etag)) return undefined
  return responder.notModified(exchange, endpoint, payload)
}

function respond(exchange: Exchange, { responder }: PipelineDependencies): Reply {
  const { endpoint, payload } = exchange
  if (endpoint === undefined || payload === undefined) throw new Error(OUT_OF_ORDER)
  return responder.success(exchange, endpoint, payload)
}

function runSteps(
  exchange: Exchange,
  dependencies: PipelineDependencies,
  from: number,
): Reply | Promise<Reply> {
  for (let index = from; index < STEPS.length; index += 1) {
    const outcome = STEPS[index]?.(exchange, dependencies)
    if (outcome instanceof Promise) {
      return outcome.then((reply) => reply ?? runSteps(exchange, dependencies, index + 1))
    }
    if (outcome !== undefined) return outcome
  }
  throw new Error('The last step must return a reply')
}

/** Turns every error into a response: an ApiError into its catalog entry, others into the failure code of the endpoint. */
function fail(
  exchange: Exchange,
  { responder, log }: PipelineDependencies,
  logRefusal: ReturnType<typeof createRefusalLog>,
  error: unknown,
): Reply {
  const { requestId, endpoint } = exchange
  const quota: KeyQuota | undefined =
    error instanceof KeyQuotaError ? error.quota : exchange.key?.quota
  try {
    if (error instanceof ApiError) {
      if (error.cause !== undefined) {
        const { code, cause: err } = error
        logRefusal({ requestId, endpoint: endpoint?.name, code, err }, exchange.nowMs)
      }
      return responder.failure(exchange, error.code, error.details, quota)
    }
    const code = endpoint?.row.failure ?? 'SNAPSHOT_UNAVAILABLE'
    log.error({ requestId, endpoint: endpoint?.name, code, err: error }, 'A request failed')
    return responder.failure(exchange, code, {}, quota)
  } catch (cause) {
    log.error({ requestId, endpoint: endpoint?.name, err: cause }, 'A response could not be signed')
    return responder.unsigned(exchange, quota)
  }
}

/** Formats instants. Requests of the same millisecond share the text, because formatting costs as much as all steps. */
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

/** Creates the pipeline for API requests. It never throws and never rejects. */
export function createPipeline(
  dependencies: PipelineDependencies,
): (request: ApiRequest) => Reply | Promise<Reply> {
  const writeInstant = createInstantWriter()
  const logRefusal = createRefusalLog(dependencies.log)
  return (request) => {
    const nowMs = dependencies.clock.nowMs()
    const exchange: Exchange = {
      request,
      nowMs,
      issuedAt: writeInstant(nowMs),
      requestId: dependencies.newRequestId(),
      route: undefined,
      parameter: '',
      endpoint: undefined,
      key: undefined,
      body: undefined,
      payload: undefined,
    }
    try {
      const reply = runSteps(exchange, dependencies, 0)
      return reply instanceof Promise
        ? reply.catch((error: unknown) => fail(exchange, dependencies, logRefusal, error))
        : reply
    } catch (error) {
      return fail(exchange, dependencies, logRefusal, error)
    }
  }
}
