import type { CountedWindow } from '../storage/counters.ts'

/** A limit as the contract states it (spec section 8). */
interface Limit {
  readonly requests: number
  readonly windowSeconds: number
}

/** The window for a limit. The key is never an address. */
export function createWindow(key: string, { requests, windowSeconds }: Limit): CountedWindow {
  return { key, limit: requests, windowSeconds }
}

/** Whole seconds until a window ends, from 1 to `maxSeconds`, for Retry-After and the quota. */
export function secondsUntil(endsAtMs: number, nowMs: number, maxSeconds: number): number {
  return Math.min(Math.max(Math.ceil((endsAtMs - nowMs) / 1000), 1), maxSeconds)
}
