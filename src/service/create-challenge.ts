import type { Counters } from '../storage/counters.ts'
import { createAltchaChallenge } from './altcha-challenge.ts'
import type { Challenge } from './challenge.ts'
import type { Clock } from './clock.ts'
import { createHostedChallenge, type HostedSettings } from './hosted-challenge.ts'
import { createTestChallenge } from './test-challenge.ts'

/** A configured challenge: its provider, and what a hosted one cannot do without. */
export type ChallengeSettings = { readonly provider: 'altcha' | 'test' } | HostedSettings

/** What every challenge runs on. */
export interface ChallengeParts {
  readonly counters: Counters
  readonly clock: Clock
}

/** The challenge of the configured provider. */
export function createChallenge(settings: ChallengeSettings, parts: ChallengeParts): Challenge {
  switch (settings.provider) {
    case 'altcha':
      return createAltchaChallenge(parts)
    case 'test':
      return createTestChallenge()
    case 'turnstile':
    case 'hcaptcha':
      return createHostedChallenge({ ...settings, ...parts })
  }
}
