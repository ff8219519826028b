import type { CountedWindow } from '../storage/counters.ts'

/** A limit as the contract states it (spec section 8). */
interface Limit {
  readonly requests: number
  readonly windowSeconds: number
}

/** The window in which a limit is counted under a key, which is never an address. */
export function windowOf(key: string, { requests, windowSeconds }: Limit): CountedWindow {
  return { key, limit: requests, windowSeconds }
}

/** Whole seconds until a window ends, at least one and at most so many, as Retry-After and the quota tell them. */
export function secondsUntil(endsAtMs: number, nowMs: number, most: number): number {
  return Math.min(Math.max(Math.ceil((endsAtMs - nowMs) / 1000), 1), most)
}
