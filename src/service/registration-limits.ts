import { ApiError } from '../contract/api-error.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Counters } from '../storage/counters.ts'
import { createActors } from './actor.ts'
import type { Clock } from './clock.ts'
import { secondsUntil, createWindow } from './counted-window.ts'

/** All clients without a known address count as one actor. */
const UNKNOWN_ACTOR = 'unknown'

/** Registration limits per actor and for all actors together, in fixed windows. */
export function createRegistrationLimits(counters: Counters, clock: Clock) {
  const global = createWindow('register', LIMITS.registrationGlobal)
  const { actorOf } = createActors({ counters, clock })
  return {
    /** Counts a request from this address. Rejects with ApiError RATE_LIMITED, or CountersError when counting fails. */
    async admit(address: string): Promise<void> {
      const actor = address === '' ? UNKNOWN_ACTOR : await actorOf(address)
      const own = createWindow(`register:${actor}`, LIMITS.registrationPerActor)
      const { isAdmitted, windows } = await counters.count([own, global])
      if (isAdmitted) return
      const endsAtMs = Math.max(
        ...windows.filter(({ remaining }) => remaining === 0).map((each) => each.endsAtMs),
      )
      const { windowSeconds } = LIMITS.registrationPerActor
      throw new ApiError('RATE_LIMITED', {
        retryAfterSeconds: secondsUntil(endsAtMs, clock.nowMs(), windowSeconds),
      })
    },
  }
}

export type RegistrationLimits = ReturnType<typeof createRegistrationLimits>
