import { HEADERS } from '../contract/headers.ts'
import type { ApiRequest } from './api-request.ts'

const ORIGIN = HEADERS.origin.toLowerCase()
const FETCH_SITE = HEADERS.fetchSite.toLowerCase()
/** What browsers say of a request that another site's page, or another host of the same site, had them send. */
const FOREIGN_SITES: ReadonlySet<string> = new Set(['cross-site', 'same-site'])

/**
 * Whether a write may come from where it says it comes from (spec 5.8): not from another origin's page. A request with
 * neither header comes from no page, but from a command line. `ownOrigin` is as browsers write it (RFC 6454 6.1).
 */
export function isOriginAllowed(request: Pick<ApiRequest, 'header'>, ownOrigin: string): boolean {
  const origin = request.header(ORIGIN)
  if (origin !== undefined && origin !== ownOrigin) return false
  const sites = request.header(FETCH_SITE)?.split(',') ?? []
  return !sites.some((site) => FOREIGN_SITES.has(site.trim()))
}
