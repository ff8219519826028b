import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/terms/limits'
import type { CountedWindow, Counters } from '../../storage/counters/counters.ts'
import type { Clock } from '../clock.ts'
import { actorOf } from './actor.ts'

/** The longest Retry-After of RATE_LIMITED, as in the catalog. The window of issuance is longer (spec section 7). */
const MAX_WAIT_SECONDS = LIMITS.registrationPerActor.windowSeconds

/** Whole seconds until a window ends, from 1 to `maxSeconds`, for Retry-After and the quota. */
export function secondsUntil(endsAtMs: number, nowMs: number, maxSeconds: number): number {
  return Math.min(Math.max(Math.ceil((endsAtMs - nowMs) / 1000), 1), maxSeconds)
}

/** Counts a request in these windows. Rejects with ApiError RATE_LIMITED, or CountersError when counting fails. */
export async function admitRequest(
  windows: readonly CountedWindow[],
  counters: Counters,
  clock: Clock,
): Promise<void> {
  const outcome = await counters.count(windows)
  if (outcome.isAdmitted) return
  const full = outcome.windows.filter(({ remaining }) => remaining === 0)
  const endsAtMs = Math.max(...full.map((each) => each.endsAtMs))
  throw new ApiError('RATE_LIMITED', {
    retryAfterSeconds: secondsUntil(endsAtMs, clock.nowMs(), MAX_WAIT_SECONDS),
  })
}

/** Counts a registration from this address: for its actor, and for all actors together. Rejects like `admitRequest`. */
export async function admitRegistration(
  address: string,
  counters: Counters,
  clock: Clock,
): Promise<void> {
  // All clients without a known address count as one actor.
  const actor = address === '' ? 'unknown' : await actorOf(address, counters, clock)
  const own = { key: `register:${actor}`, ...LIMITS.registrationPerActor }
  const global = { key: 'register', ...LIMITS.registrationGlobal }
  await admitRequest([own, global], counters, clock)
}
