import { CACHE_CLASSES, HEADERS } from '@public-api/contract/terms/headers'
import type { Clock } from '../service/clock.ts'
import type { ApiRequest, App, Reply } from './api-request.ts'

/** Enough for all fixed paths of the registry; versions by id share the rest. */
const MAX_RESPONSES = 256
const { cacheControl: CACHEABLE } = CACHE_CLASSES['static-snapshot']
/** Requests with one of these headers bypass the cache: they have a key, or ask for a fresh, an unchanged or a signed response. */
const BYPASSING_HEADERS = [
  'authorization',
  'x-svc-key',
  'accept-signature',
  'if-none-match',
  'cache-control',
  'pragma',
] as const

function isCacheable({ status, headers }: Reply): boolean {
  return status === 200 && headers[headers.indexOf(HEADERS.cacheControl) + 1] === CACHEABLE
}

function mayReuse(request: ApiRequest): boolean {
  if (request.method !== 'GET' || request.target !== request.path) return false
  return BYPASSING_HEADERS.every((name) => request.header(name) === undefined)
}

/** With its age in seconds (RFC 9111 5.1). */
function withAge({ status, headers, body }: Reply, ageSeconds: number): Reply {
  return { status, headers: [...headers, HEADERS.age, String(ageSeconds)], body }
}

/**
 * Reuses signed responses of static-snapshot endpoints for anonymous readers, as a shared cache in front would (RFC
 * 9111): with the same request id, time and signature, and an Age. Targets with a query are never stored, so that
 * clients cannot fill the cache. Responses are dropped with the app when a release is loaded.
 */
export function createResponseCache(
  app: App,
  { seconds, clock }: { readonly seconds: number; readonly clock: Clock },
): App {
  const responses = new Map<string, { readonly reply: Reply; readonly storedAtMs: number }>()

  function store(target: string, reply: Reply): Reply {
    if (!isCacheable(reply)) return reply
    if (responses.size >= MAX_RESPONSES) responses.clear()
    responses.set(target, { reply, storedAtMs: clock.nowMs() })
    return reply
  }

  return (request) => {
    if (!mayReuse(request)) return app(request)
    const { target } = request
    const found = responses.get(target)
    if (found !== undefined) {
      const ageSeconds = Math.floor((clock.nowMs() - found.storedAtMs) / 1000)
      if (ageSeconds >= 0 && ageSeconds < seconds) return withAge(found.reply, ageSeconds)
      responses.delete(target)
    }
    const reply = app(request)
    return reply instanceof Promise
      ? reply.then((settled) => store(target, settled))
      : store(target, reply)
  }
}
