import { ApiError } from '../contract/api-error.ts'
import { LIMITS } from '../contract/limits.ts'
import type { Counters } from '../storage/counters.ts'
import type { Actors } from './actor.ts'
import type { Clock } from './clock.ts'
import { secondsUntil, windowOf } from './counted-window.ts'

/** The limits on how often registering is tried (spec section 8). */
export interface RegistrationLimits {
  /**
   * Counts a request from this address; throws ApiError RATE_LIMITED with the wait when a limit is reached. Rejects with
   * CountersError when nothing can be counted.
   */
  admit(address: string): Promise<void>
}

/** Whoever's address is not known any more counts as one actor. */
const NOBODY = 'nobody'

/** The registration limits: so many for each actor, and so many for all of them together, in fixed windows. */
export function createRegistrationLimits({
  counters,
  actors,
  clock,
}: {
  readonly counters: Counters
  readonly actors: Actors
  readonly clock: Clock
}): RegistrationLimits {
  const everybody = windowOf('register', LIMITS.registrationGlobal)
  return {
    async admit(address) {
      const actor = address === '' ? NOBODY : await actors.actorOf(address)
      const own = windowOf(`register:${actor}`, LIMITS.registrationPerActor)
      const { isAdmitted, windows } = await counters.count([own, everybody])
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
