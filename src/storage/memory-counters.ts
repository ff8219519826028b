import { randomBytes } from 'node:crypto'
import type { CountedWindow, Counters, CountOutcome, NamedSecret } from './counters.ts'

/** Counters in this process. */
export interface MemoryCounters extends Counters {
  /** The number of stored windows and spent ids, including ended ones that were not dropped yet. */
  size(): number
}

export interface MemoryCountersOptions {
  readonly clock: { nowMs(): number }
}

interface Window {
  used: number
  readonly endsAtMs: number
}

const SECRET_BYTES = 32
const BUCKET_MS = 60_000

/**
 * Counters for one process, or for a cluster whose primary has them (cluster-counters.ts). They are lost when the process
 * ends.
 *
 * Maps and an injected clock instead of rate-limiter-flexible, which reads the machine's clock, keeps a timer per key, and
 * cannot count in several windows or none. Calls are synchronous and therefore atomic, and each one drops what has ended.
 * Windows of one length end in the order they started in, which is the order of a Map, so only its head is checked. Spent
 * ids end in any order, so they are grouped into buckets of a minute, which are dropped as a whole.
 */
export function createMemoryCounters({ clock }: MemoryCountersOptions): MemoryCounters {
  const windowsByLength = new Map<number, Map<string, Window>>()
  const spent = new Map<string, number>()
  const buckets = new Map<number, Set<string>>()
  const secrets = new Map<string, { readonly bytes: Uint8Array; readonly untilMs: number }>()
  let droppedToBucket = Number.NEGATIVE_INFINITY

  /** A window that ends later than one that starts now was started before the clock was set back. */
  function isOpen({ endsAtMs }: Window, lengthMs: number, nowMs: number): boolean {
    return nowMs < endsAtMs && endsAtMs - nowMs <= lengthMs
  }

  function windowsOf(windowSeconds: number): Map<string, Window> {
    const existing = windowsByLength.get(windowSeconds)
    if (existing !== undefined) return existing
    const made = new Map<string, Window>()
    windowsByLength.set(windowSeconds, made)
    return made
  }

  function dropEndedWindows(nowMs: number): void {
    for (const [windowSeconds, windows] of windowsByLength) {
      for (const [key, window] of windows) {
        if (isOpen(window, windowSeconds * 1000, nowMs)) break
        windows.delete(key)
      }
    }
  }

  function dropSpent(nowMs: number): void {
    const current = Math.floor(nowMs / BUCKET_MS)
    // Checked once a minute. Compared for inequality, since a clock that was once set far ahead would stop the dropping.
    if (current === droppedToBucket) return
    droppedToBucket = current
    for (const [bucket, ids] of buckets) {
      if (bucket >= current) continue
      for (const id of ids) spent.delete(id)
      buckets.delete(bucket)
    }
  }

  function forget(id: string): void {
    const untilMs = spent.get(id)
    if (untilMs === undefined) return
    spent.delete(id)
    const bucket = Math.floor(untilMs / BUCKET_MS)
    const ids = buckets.get(bucket)
    ids?.delete(id)
    if (ids?.size === 0) buckets.delete(bucket)
  }

  function countNow(requested: readonly CountedWindow[]): CountOutcome {
    const nowMs = clock.nowMs()
    dropEndedWindows(nowMs)
    const found = requested.map(({ key, limit, windowSeconds }) => {
      const windows = windowsByLength.get(windowSeconds)
      const window = windows?.get(key)
      const lengthMs = windowSeconds * 1000
      const open = window !== undefined && isOpen(window, lengthMs, nowMs) ? window : undefined
      const used = open?.used ?? 0
      return { key, limit, windowSeconds, open, used, endsAtMs: open?.endsAtMs ?? nowMs + lengthMs }
    })
    const isAdmitted = found.every(({ used, limit }) => used < limit)
    if (isAdmitted) {
      for (const { key, windowSeconds, open, endsAtMs } of found) {
        if (open !== undefined) {
          open.used += 1
          continue
        }
        const windows = windowsOf(windowSeconds)
        // Delete an ended window of this key first, so that the new one is last in the Map.
        windows.delete(key)
        windows.set(key, { used: 1, endsAtMs })
      }
    }
    return {
      isAdmitted,
      windows: found.map(({ used, limit, endsAtMs }) => ({
        remaining: Math.max(0, limit - used - (isAdmitted ? 1 : 0)),
        endsAtMs,
      })),
    }
  }

  function isCurrentSecret({ name, bytes }: NamedSecret, nowMs: number): boolean {
    const known = secrets.get(name)
    return known !== undefined && nowMs < known.untilMs && Buffer.from(bytes).equals(known.bytes)
  }

  function spendNow(id: string, untilMs: number, secret?: NamedSecret): boolean {
    const nowMs = clock.nowMs()
    dropSpent(nowMs)
    if (secret !== undefined && !isCurrentSecret(secret, nowMs)) return false
    if ((spent.get(id) ?? nowMs) > nowMs) return false
    forget(id)
    if (untilMs <= nowMs) return true
    spent.set(id, untilMs)
    const bucket = Math.floor(untilMs / BUCKET_MS)
    const ids = buckets.get(bucket)
    if (ids === undefined) buckets.set(bucket, new Set([id]))
    else ids.add(id)
    return true
  }

  function secretNow(name: string, untilMs: number): Uint8Array {
    const nowMs = clock.nowMs()
    const known = secrets.get(name)
    if (known !== undefined && nowMs < known.untilMs) return Uint8Array.from(known.bytes)
    for (const [other, kept] of secrets) if (kept.untilMs <= nowMs) secrets.delete(other)
    const bytes = Uint8Array.from(randomBytes(SECRET_BYTES))
    secrets.set(name, { bytes, untilMs })
    return Uint8Array.from(bytes)
  }

  return {
    count: async (windows) => countNow(windows),
    spend: async (id, untilMs, secret) => spendNow(id, untilMs, secret),
    release: async (id) => forget(id),
    secret: async (name, untilMs) => secretNow(name, untilMs),
    size() {
      let windows = 0
      for (const each of windowsByLength.values()) windows += each.size
      return windows + spent.size
    },
  }
}
