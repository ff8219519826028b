import type { ApiRequest } from './api-request.ts'

/** Values of Sec-Fetch-Site for requests from another site or another host of the same site. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/**
 * Whether the origin of a write is allowed (spec 5.8). Pages of other origins are refused. A request with neither
 * header does not come from a browser. `ownOrigin` is in the browsers' form (RFC 6454 6.1).
 */
export function isOriginAllowed(request: Pick<ApiRequest, 'header'>, ownOrigin: string): boolean {
  const origin = request.header('origin')
  if (origin !== undefined && origin !== ownOrigin) return false
  const sites = request.header('sec-fetch-site')?.split(',') ?? []
  return !sites.some((site) => FOREIGN_SITES.has(site.trim()))
}
