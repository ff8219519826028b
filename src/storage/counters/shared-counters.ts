import { type CountedWindow, type Counters, CountersError } from './counters.ts'

/** `shared`: requests of all nodes are counted together. `local`: this node counts its own against its share. */
export type LimiterMode = 'shared' | 'local'

interface SharedCountersOptions {
  readonly shared: Counters
  readonly local: Counters
  /** The counters in the database, where challenges are spent while the shared counters are unavailable. */
  readonly database: Counters | undefined
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs: () => number
  /** Called when the mode changes; `reason` states why the shared counters are not used. */
  readonly onModeChange: (mode: LimiterMode, reason: string | undefined) => void
  /** The number of nodes that share the limits. */
  readonly nodes: number
  /** Name prefix of the secrets that counts need, which also fall back to this node. */
  readonly localSecretPrefix: string
}

/** After a failure the shared counters are not called for this long, so that a slow server delays few requests. */
const UNAVAILABLE_FOR_MS = 1000

/**
 * Counters of all nodes with a fallback. While the shared ones fail, requests are counted in this node against its
 * share of each limit, rounded up. Challenges and their key fall back to the database. Without a database they are
 * refused, because another node could accept them again.
 */
export function createSharedCounters(
  options: SharedCountersOptions,
): Counters & { mode(): LimiterMode } {
  const { shared, local, database, monotonicMs, onModeChange, nodes, localSecretPrefix } = options
  let mode: LimiterMode = 'shared'
  let retryAtMs = Number.NEGATIVE_INFINITY
  let lastFailure = new CountersError('The shared counters are unavailable')

  function setMode(next: LimiterMode, reason?: string): void {
    if (mode === next) return
    mode = next
    onModeChange(next, reason)
  }

  /** Calls the shared counters. Falls back if they fail or have just failed. */
  async function attempt<Value>(
    call: () => Promise<Value>,
    fallBack: (failure: CountersError) => Promise<Value>,
  ): Promise<Value> {
    if (monotonicMs() >= retryAtMs) {
      try {
        const value = await call()
        retryAtMs = Number.NEGATIVE_INFINITY
        setMode('shared')
        return value
      } catch (error) {
        if (!(error instanceof CountersError)) throw error
        lastFailure = error
        retryAtMs = monotonicMs() + UNAVAILABLE_FOR_MS
        setMode('local', error.message)
      }
    }
    return fallBack(lastFailure)
  }

  function inDatabase(failure: CountersError): Counters {
    if (database === undefined) throw failure
    return database
  }

  const shareOf = (window: CountedWindow): CountedWindow => ({
    ...window,
    requests: Math.ceil(window.requests / nodes),
  })

  return {
    mode: () => mode,
    count: (windows) =>
      attempt(
        () => shared.count(windows),
        () => local.count(windows.map(shareOf)),
      ),
    spend: (id, untilMs, secret) =>
      attempt(
        () => shared.spend(id, untilMs, secret),
        async (failure) => inDatabase(failure).spend(id, untilMs, secret),
      ),
    async release(id) {
      // The id is stored in one of them. Releasing it in the other has no effect.
      await Promise.allSettled([shared.release(id), database?.release(id)])
    },
    secret: (name, untilMs) =>
      attempt(
        () => shared.secret(name, untilMs),
        async (failure) =>
          name.startsWith(localSecretPrefix)
            ? local.secret(name, untilMs)
            : inDatabase(failure).secret(name, untilMs),
      ),
  }
}
