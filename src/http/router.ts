import { ApiError } from '../contract/api-error.ts'
import type { Registry } from '../contract/endpoints.ts'
import type { Handler, Route, ServedEndpoint } from './exchange.ts'

/** A route and the value of its path parameter ('' if it has none). */
export interface FoundRoute {
  readonly route: Route
  readonly parameter: string
}

/** Finds the route of a path, compared as received, without decoding or normalization. */
export type Router = (path: string) => FoundRoute | undefined

interface OpenRoute {
  readonly prefix: string
  readonly mayBeEmpty: boolean
  readonly route: Route
}

const READ_METHODS: readonly string[] = ['GET', 'HEAD']

function createRoute(endpoints: readonly ServedEndpoint[]): Route {
  const byMethod = new Map<string, ServedEndpoint>(
    endpoints.map((endpoint) => [endpoint.row.method, endpoint]),
  )
  const read = byMethod.get('GET')
  const writes = [...byMethod.keys()].filter((method) => method !== 'GET')
  if (read !== undefined) byMethod.set('HEAD', read)
  const allow = read === undefined ? writes : [...READ_METHODS, ...writes, 'OPTIONS']
  return { endpoints: byMethod, allow: allow.join(', '), isRead: read !== undefined }
}

/** A preview row is reserved and disabled: every request is refused (spec section 3). */
const refusePreview: Handler = () => {
  throw new ApiError('PREVIEW_NOT_ENABLED')
}

/** Creates the router of a registry. Every row but a preview needs a handler; throws if one is missing. */
export function createRouter(
  registry: Registry,
  handlers: { readonly [name: string]: Handler },
): Router {
  const byPath = new Map<string, ServedEndpoint[]>()
  for (const [name, row] of Object.entries(registry)) {
    const handler = row.status === 'preview' ? refusePreview : handlers[name]
    if (handler === undefined) throw new Error(`The endpoint ${name} has no handler`)
    byPath.set(row.path, [...(byPath.get(row.path) ?? []), { name, row, handler }])
  }
  const exact = new Map<string, FoundRoute>()
  const open: OpenRoute[] = []
  for (const [path, endpoints] of byPath) {
    const route = createRoute(endpoints)
    const parameter = endpoints[0]?.row.parameter
    if (parameter === undefined) {
      exact.set(path, { route, parameter: '' })
      continue
    }
    const prefix = path.slice(0, path.indexOf('{'))
    open.push({ prefix, mayBeEmpty: parameter.mayBeEmpty, route })
    if (parameter.mayBeEmpty) exact.set(prefix.slice(0, -1), { route, parameter: '' })
  }
  return (path) => {
    const found = exact.get(path)
    if (found !== undefined) return found
    for (const { prefix, mayBeEmpty, route } of open) {
      if (!path.startsWith(prefix) || (path.length === prefix.length && !mayBeEmpty)) continue
      return { route, parameter: path.slice(prefix.length) }
    }
    return undefined
  }
}
