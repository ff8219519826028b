import type { ChallengeDescription } from '../service/challenge.ts'

/** A provider that hosts its own challenge. */
type HostedProvider = 'turnstile' | 'hcaptcha'

/** Whether a third party issues the challenge. */
export function isHosted(provider: ChallengeDescription['provider']): provider is HostedProvider {
  return provider === 'turnstile' || provider === 'hcaptcha'
}

/** Origins of their scripts and frames, as the providers document them for CSP. */
const ORIGINS: { readonly [Provider in HostedProvider]: readonly string[] } = {
  turnstile: ['https://challenges.cloudflare.com'],
  hcaptcha: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
}

/** Origins that CSP must allow for a challenge; empty for a challenge of this service. */
export function originsOfChallenge({ provider }: ChallengeDescription): readonly string[] {
  return isHosted(provider) ? ORIGINS[provider] : []
}
