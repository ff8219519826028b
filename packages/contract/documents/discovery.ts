import type { Issuance } from '../keys/issuance.ts'
import { API_VERSION, BASE_PATH } from '../registry/api-version.ts'
import { LINKS, visibleEndpoints, type Registry, type Runtime } from '../registry/endpoints.ts'
import type { DataOf } from '../schemas/schemas.ts'

/** What the documents describe. */
export interface DocumentedTables {
  readonly registry: Registry
  readonly runtime: Runtime
  /** Semantic version of the registry. */
  readonly registryVersion: string
  readonly issuance: Issuance
}

/** `data` of `GET /api/v1`: every row that this runtime serves, in the order of the registry. Pure. */
export function createDiscoveryIndex({
  registry,
  runtime,
  registryVersion,
}: DocumentedTables): DataOf<'DiscoveryIndex'> {
  return {
    apiVersion: API_VERSION,
    basePath: BASE_PATH,
    registryVersion,
    endpoints: Object.entries(visibleEndpoints(registry, runtime)).map(([name, row]) => ({
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
    })),
    links: LINKS,
  }
}
