import type { Registry } from './endpoints.ts'

/** What a process runs as. A `local` process serves every row, a `production` one leaves the `local` rows out. */
export type Runtime = 'local' | 'production'

/**
 * The rows that a runtime serves, in the order of the registry (spec 2.3). Routing, the discovery index, the policy
 * and the OpenAPI document all ask here, so that nothing is listed that is not served, nor the other way round.
 */
export function visibleEndpoints(registry: Registry, runtime: Runtime): Registry {
  return Object.fromEntries(
    Object.entries(registry).filter(([, row]) => runtime === 'local' || row.runtime === 'all'),
  )
}
