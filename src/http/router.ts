import { ApiError } from '@public-api/contract/errors/api-error'
import type { Registry } from '@public-api/contract/registry/endpoints'
import type { Handler, Route, ServedEndpoint } from './exchange.ts'

/** A route and the value of its path parameter ('' if it has none). */
interface FoundRoute {
  readonly route: Route
  readonly parameter: string
}

/** Finds the route of a path, compared as received, without decoding or normalization. */
export type Router = (path: string) => FoundRoute | undefined

function createRoute(endpoints: readonly ServedEndpoint[]): Route {
  const byMethod = new Map<string, ServedEndpoint>(
    endpoints.map((endpoint) => [endpoint.row.method, endpoint]),
  )
  const read = byMethod.get('GET')
  const writes = [...byMethod.keys()].filter((method) => method !== 'GET')
  if (read !== undefined) byMethod.set('HEAD', read)
  const allow = read === undefined ? writes : ['GET', 'HEAD', ...writes, 'OPTIONS']
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
  const endpoints = Object.entries(registry).map(([name, row]): ServedEndpoint => {
    const handler = row.status === 'preview' ? refusePreview : handlers[name]
    if (handler === undefined) throw new Error(`The endpoint ${name} has no handler`)
    return { name, row, handler }
  })
  const exact = new Map<string, FoundRoute>()
  /** The paths that end in a parameter. */
  const open: { readonly prefix: string; readonly minLength: number; readonly route: Route }[] = []
  for (const [path, ofPath] of Map.groupBy(endpoints, ({ row }) => row.path)) {
    const route = createRoute(ofPath)
    const parameter = ofPath[0]?.row.parameter
    if (parameter === undefined) {
      exact.set(path, { route, parameter: '' })
      continue
    }
    const prefix = path.slice(0, path.indexOf('{'))
    open.push({ prefix, minLength: prefix.length + (parameter.mayBeEmpty ? 0 : 1), route })
    if (parameter.mayBeEmpty) exact.set(prefix.slice(0, -1), { route, parameter: '' })
  }
  return (path) => {
    const found = exact.get(path)
    if (found !== undefined) return found
    const match = open.find((each) => path.length >= each.minLength && path.startsWith(each.prefix))
    return match && { route: match.route, parameter: path.slice(match.prefix.length) }
  }
}
