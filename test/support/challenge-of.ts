import {
  createAltchaChallenge,
  type AltchaWork,
} from '../../src/service/challenge/altcha-challenge.ts'
import type { Challenge, ChallengeDescription } from '../../src/service/challenge/challenge.ts'
import {
  createChallenge,
  type ChallengeSettings,
} from '../../src/service/challenge/create-challenge.ts'

/** The settings of a provider; a hosted one has a URL without a listener. */
export function challengeSettings(provider: ChallengeDescription['provider']): ChallengeSettings {
  return provider === 'turnstile' || provider === 'hcaptcha'
    ? { provider, siteKey: 'site', secret: 'secret', verifyUrl: 'http://127.0.0.1:9/' }
    : { provider }
}

/** The challenge of a provider, where ALTCHA asks for no more than the given work. */
export function challengeOf(
  provider: ChallengeDescription['provider'],
  work: AltchaWork,
  parts: Parameters<typeof createChallenge>[1],
): Challenge {
  if (provider === 'altcha') return createAltchaChallenge({ ...parts, work })
  return createChallenge(challengeSettings(provider), parts)
}
