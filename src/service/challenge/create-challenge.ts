import type { Counters } from '../../storage/counters/counters.ts'
import type { Clock } from '../clock.ts'
import { createAltchaChallenge } from './altcha-challenge.ts'
import { createTestChallenge, type Challenge } from './challenge.ts'
import { createHostedChallenge, type HostedSettings } from './hosted-challenge.ts'

/** A configured challenge: its provider, and the settings of a hosted one. */
export type ChallengeSettings = { readonly provider: 'altcha' | 'test' } | HostedSettings

export function createChallenge(
  settings: ChallengeSettings,
  dependencies: { readonly counters: Counters; readonly clock: Clock },
): Challenge {
  if ('siteKey' in settings) return createHostedChallenge({ ...settings, ...dependencies })
  return settings.provider === 'test' ? createTestChallenge() : createAltchaChallenge(dependencies)
}
