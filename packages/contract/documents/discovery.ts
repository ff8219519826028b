import type { Issuance } from '../keys/issuance.ts'
import { LINKS, visibleEndpoints, type Registry, type Runtime } from '../registry/endpoints.ts'
import type { DataOf } from '../registry/schemas.ts'
import { API_VERSION, BASE_PATH } from '../terms/api-version.ts'

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
    endpoints: Object.entries(visibleEndpoints(registry, runtime)).map(([name, row]) => {
      const { method, path, summary, stability, status, cacheClass, authentication } = row
      const terms = { stability, status, runtime: row.runtime, cacheClass, authentication }
      return { name, method, path, summary, ...terms, ...row.deprecation }
    }),
    links: LINKS,
  }
}
