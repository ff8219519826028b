import { randomBytes } from 'node:crypto'
import {
  type Counters,
  countRequest,
  isOpenWindow,
  type NamedSecret,
  SECRET_BYTES,
  type StoredWindow,
  SWEEP_INTERVAL_MS,
} from './counters.ts'

/**
 * Counters for one process, or for workers whose primary has them. They are lost when the process ends.
 *
 * Own code instead of rate-limiter-flexible, which cannot count in all windows or none. Calls are synchronous and therefore atomic. Once a minute a call deletes expired entries.
 */
export function createMemoryCounters({ clock }: { readonly clock: { nowMs(): number } }) {
  const windows = new Map<string, StoredWindow & { readonly lengthMs: number }>()
  const spent = new Map<string, number>()
  const secrets = new Map<string, { readonly bytes: Uint8Array; readonly untilMs: number }>()
  let sweptAtMs = Number.NEGATIVE_INFINITY

  function sweep(nowMs: number): void {
    // The absolute value, since a clock that was once set far ahead would stop the sweeping.
    if (Math.abs(nowMs - sweptAtMs) < SWEEP_INTERVAL_MS) return
    sweptAtMs = nowMs
    for (const [name, window] of windows) {
      if (!isOpenWindow(window, window.lengthMs, nowMs)) windows.delete(name)
    }
    for (const [id, untilMs] of spent) if (untilMs <= nowMs) spent.delete(id)
    for (const [name, { untilMs }] of secrets) if (untilMs <= nowMs) secrets.delete(name)
  }

  function isCurrentSecret({ name, bytes }: NamedSecret, nowMs: number): boolean {
    const known = secrets.get(name)
    return known !== undefined && nowMs < known.untilMs && Buffer.from(bytes).equals(known.bytes)
  }

  const counters: Counters = {
    async count(requested) {
      const nowMs = clock.nowMs()
      sweep(nowMs)
      const { outcome, changed } = countRequest(requested, windows, nowMs)
      for (const window of changed) windows.set(window.name, window)
      return outcome
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
  }

  return {
    ...counters,
    /** The number of stored windows and spent ids, including expired ones that are not deleted yet. */
    size: () => windows.size + spent.size,
  }
}

export type MemoryCounters = ReturnType<typeof createMemoryCounters>
