import { API_VERSION, BASE_PATH } from '../contract/api-version.ts'
import { LINKS, visibleEndpoints, type Registry, type Runtime } from '../contract/endpoints.ts'
import type { DataOf } from '../contract/schemas.ts'

/** Input of the discovery index. */
export interface DiscoveryOptions {
  readonly registry: Registry
  readonly runtime: Runtime
  /** Semantic version of the registry. */
  readonly registryVersion: string
}

/** `data` of `GET /api/v1`: every row that this runtime serves, in the order of the registry. Pure. */
export function createDiscoveryIndex(options: DiscoveryOptions): DataOf<'DiscoveryIndex'> {
  return {
    apiVersion: API_VERSION,
    basePath: BASE_PATH,
    registryVersion: options.registryVersion,
    endpoints: Object.entries(visibleEndpoints(options.registry, options.runtime)).map(
      ([name, row]) => ({
        name,
        method: row.method,
        path: row.path,
        summary: row.summary,
        stability: row.stability,
        status: row.status,
        runtime: row.runtime,
        cacheClass: row.cacheClass,
        authentication: row.authentication,
        ...row.deprecation,
      }),
    ),
    links: LINKS,
  }
}
