import { randomBytes } from 'node:crypto'
import type { Counters, NamedSecret } from './counters.ts'

export interface MemoryCounters extends Counters {
  /** The number of stored windows and spent ids, including expired ones that are not deleted yet. */
  size(): number
}

interface Window {
  used: number
  readonly lengthMs: number
  readonly endsAtMs: number
}

const SECRET_BYTES = 32
const SWEEP_INTERVAL_MS = 60_000

/** A window cannot end later than one that starts now, unless the clock was set back. */
function isOpen({ endsAtMs, lengthMs }: Window, nowMs: number): boolean {
  return nowMs < endsAtMs && endsAtMs - nowMs <= lengthMs
}

/**
 * Counters for one process, or for a cluster whose primary has them (cluster-counters.ts). They are lost when the
 * process ends.
 *
 * Own code instead of rate-limiter-flexible, which reads the machine's clock, has a timer per key and cannot count in
 * all windows or none. Calls are synchronous and therefore atomic. Once a minute a call deletes expired entries.
 */
export function createMemoryCounters({
  clock,
}: {
  readonly clock: { nowMs(): number }
}): MemoryCounters {
  const windows = new Map<string, Window>()
  const spent = new Map<string, number>()
  const secrets = new Map<string, { readonly bytes: Uint8Array; readonly untilMs: number }>()
  let sweptAtMs = Number.NEGATIVE_INFINITY

  function sweep(nowMs: number): void {
    // The absolute value, since a clock that was once set far ahead would stop the sweeping.
    if (Math.abs(nowMs - sweptAtMs) < SWEEP_INTERVAL_MS) return
    sweptAtMs = nowMs
    for (const [name, window] of windows) if (!isOpen(window, nowMs)) windows.delete(name)
    for (const [id, untilMs] of spent) if (untilMs <= nowMs) spent.delete(id)
    for (const [name, { untilMs }] of secrets) if (untilMs <= nowMs) secrets.delete(name)
  }

  function isCurrentSecret({ name, bytes }: NamedSecret, nowMs: number): boolean {
    const known = secrets.get(name)
    return known !== undefined && nowMs < known.untilMs && Buffer.from(bytes).equals(known.bytes)
  }

  return {
    async count(requested) {
      const nowMs = clock.nowMs()
      sweep(nowMs)
      const found = requested.map(({ key, limit, windowSeconds }) => {
        // Windows of one key with different lengths are counted separately.
        const name = `${key} ${windowSeconds}`
        const lengthMs = windowSeconds * 1000
        const known = windows.get(name)
        const fresh = { used: 0, lengthMs, endsAtMs: nowMs + lengthMs }
        return { name, limit, window: known && isOpen(known, nowMs) ? known : fresh }
      })
      const isAdmitted = found.every(({ window, limit }) => window.used < limit)
      if (isAdmitted) {
        for (const { name, window } of found) {
          window.used += 1
          windows.set(name, window)
        }
      }
      return {
        isAdmitted,
        windows: found.map(({ limit, window: { used, endsAtMs } }) => ({
          remaining: Math.max(0, limit - used),
          endsAtMs,
        })),
      }
    },

    async spend(id, untilMs, secret) {
      const nowMs = clock.nowMs()
      sweep(nowMs)
      if (secret !== undefined && !isCurrentSecret(secret, nowMs)) return false
      if ((spent.get(id) ?? nowMs) > nowMs) return false
      if (untilMs > nowMs) spent.set(id, untilMs)
      return true
    },

    release: async (id) => void spent.delete(id),

    async secret(name, untilMs) {
      const known = secrets.get(name)
      if (known !== undefined && clock.nowMs() < known.untilMs) return Uint8Array.from(known.bytes)
      const bytes = Uint8Array.from(randomBytes(SECRET_BYTES))
      secrets.set(name, { bytes, untilMs })
      return Uint8Array.from(bytes)
    },

    size: () => windows.size + spent.size,
  }
}
