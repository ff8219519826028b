import type { Registry } from './endpoints.ts'

/** The runtime of a process. `local` serves every row, `production` only rows with runtime `all`. */
export type Runtime = 'local' | 'production'

/**
 * The rows that a runtime serves, in the order of the registry (spec 2.3). Routing, the discovery index, the policy and
 * the OpenAPI document all use it, so that exactly the served rows are listed.
 */
export function visibleEndpoints(registry: Registry, runtime: Runtime): Registry {
  return Object.fromEntries(
    Object.entries(registry).filter(([, row]) => runtime === 'local' || row.runtime === 'all'),
  )
}
