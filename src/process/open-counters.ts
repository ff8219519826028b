import type { Config } from '../config.ts'
import { ACTOR_KEY_PREFIX } from '../service/actor.ts'
import type { Log } from '../service/log.ts'
import type { Counters } from '../storage/counters.ts'
import { createSharedCounters, type LimiterMode } from '../storage/shared-counters.ts'
import { openValkeyCounters } from '../storage/valkey-counters.ts'

export interface CountersDependencies {
  /** The counters of this node. */
  readonly local: Counters
  /** The counters in a database that several nodes share. */
  readonly database: Counters | undefined
  readonly log: Log
}

/** The counters of a deployment. */
export interface OpenCounters {
  readonly counters: Counters
  /** Whether requests are counted with the other nodes now. */
  readonly mode: () => LimiterMode
  readonly close: () => void
}

/** Opens the counters: in Valkey where it is configured, else in a shared database, else in this node. */
export async function openCounters(
  { valkeyUrl: url, nodes }: Pick<Config, 'valkeyUrl' | 'nodes'>,
  { local, database, log }: CountersDependencies,
): Promise<OpenCounters> {
  if (url === undefined) {
    return { counters: database ?? local, mode: () => 'shared', close: () => {} }
  }
  const valkey = await openValkeyCounters({
    url,
    onConnected: () => log.info({}, 'Valkey available'),
    onConnectionError: (reason) => log.warn({ reason }, 'Valkey unavailable; retrying'),
  })
  const counters = createSharedCounters(
    {
      shared: valkey,
      local,
      database,
      monotonicMs: () => performance.now(),
      onModeChange(mode, reason) {
        if (mode === 'shared') log.info({ mode }, 'Rate limits are counted by all nodes')
        else log.error({ mode, reason }, 'Rate limits are counted by this node at its share')
      },
    },
    { nodes, localSecretPrefix: ACTOR_KEY_PREFIX },
  )
  return { counters, mode: () => counters.mode(), close: () => valkey.close() }
}
