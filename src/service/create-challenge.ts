import type { Counters } from '../storage/counters.ts'
import { createAltchaChallenge, type AltchaWork } from './altcha-challenge.ts'
import type { Challenge, ChallengeDescription } from './challenge.ts'
import type { Clock } from './clock.ts'
import { createHostedChallenge } from './hosted-challenge.ts'
import { createTestChallenge } from './test-challenge.ts'

/** The configured challenge, and what it needs to run. */
export interface ChallengeOptions {
  readonly provider: ChallengeDescription['provider']
  /** The next three are for hosted challenges, which cannot do without them. */
  readonly siteKey: string | undefined
  readonly secret: string | undefined
  readonly verifyUrl: string | undefined
  readonly counters: Counters
  readonly clock: Clock
  /** How hard an ALTCHA challenge is; ALTCHA_WORK where it is left out. */
  readonly work?: AltchaWork
  /** Milliseconds a hosted provider has for its answer; 5 s where it is left out. */
  readonly deadlineMs?: number
}

function needed(value: string | undefined, provider: string, what: string): string {
  if (value !== undefined) return value
  throw new TypeError(`The challenge ${provider} needs ${what}, and none is configured`)
}

/** The challenge of the configured provider. Throws TypeError where a hosted one lacks its keys or its address. */
export function createChallenge(options: ChallengeOptions): Challenge {
  const { provider, siteKey, secret, verifyUrl, counters, clock, work, deadlineMs } = options
  switch (provider) {
    case 'altcha':
      return createAltchaChallenge({ counters, clock, ...(work === undefined ? {} : { work }) })
    case 'test':
      return createTestChallenge()
    case 'turnstile':
    case 'hcaptcha':
      return createHostedChallenge({
        provider,
        siteKey: needed(siteKey, provider, 'a site key'),
        secret: needed(secret, provider, 'a secret key'),
        verifyUrl: needed(verifyUrl, provider, 'a verification address'),
        counters,
        clock,
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
      })
  }
}
