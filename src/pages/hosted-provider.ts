import type { ChallengeDescription } from '../service/challenge.ts'

/** A provider whose challenge stands on machines of its own. */
type HostedProvider = 'turnstile' | 'hcaptcha'

/** Whether a challenge is made by another party than this service. */
export function isHosted(provider: ChallengeDescription['provider']): provider is HostedProvider {
  return provider === 'turnstile' || provider === 'hcaptcha'
}

/** Where their scripts and frames come from, as the providers' own texts on policies name them. */
const ORIGINS: { readonly [Provider in HostedProvider]: readonly string[] } = {
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
}

/** Origins that a page with this challenge has to let in; none for a challenge of this service. */
export function originsOfChallenge({ provider }: ChallengeDescription): readonly string[] {
  return isHosted(provider) ? ORIGINS[provider] : []
}
