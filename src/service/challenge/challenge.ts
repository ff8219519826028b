import { ApiError } from '@public-api/contract/errors/api-error'
import type { DataOf } from '@public-api/contract/registry/schemas'

/** The human-verification challenge as a form needs it. */
export type ChallengeDescription = DataOf<'EarlyAccess'>['challenge']

/** The purposes of a challenge. Whether a solution is bound to its purpose depends on the provider (see `verify`). */
export const CHALLENGE_PURPOSES = ['register', 'issue-key'] as const

export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number]

/** A solution that was accepted and spent. */
export interface AcceptedChallenge {
  /** Makes the solution valid again for a retry. Never rejects. Without effect for a hosted provider. */
  release(): Promise<void>
}

export interface Challenge {
  readonly description: ChallengeDescription
  /**
   * Creates a challenge as JSON text, for providers that the service serves at `description.path`; undefined for the others.
   * Rejects when the counters are unavailable.
   */
  readonly issue: ((purpose: ChallengePurpose) => Promise<string>) | undefined
  /**
   * Verifies a token and spends it: of concurrent calls with one token, in any number of processes, one is accepted. Rejects
   * with ApiError CHALLENGE_FAILED for a token that is wrong, expired, spent or made for another purpose, and with another
   * error when that cannot be determined: ChallengeUnavailableError for a provider that does not respond, CountersError.
   *
   * ALTCHA challenges are signed for their purpose. Turnstile knows it only if the page passed it as the action. hCaptcha does
   * not support purposes: its token is valid for either, once.
   */
  verify(token: string, purpose: ChallengePurpose): Promise<AcceptedChallenge>
}

/** A provider could not verify a token. The message states the reason without the token. */
export class ChallengeUnavailableError extends Error {
  override readonly name = 'ChallengeUnavailableError'
}

/** The token that the test challenge accepts, repeatedly and for every purpose. */
export const TEST_TOKEN = 'test-pass'

/** A challenge for trials, which proves nothing. The configuration refuses it in production. */
export function createTestChallenge(): Challenge {
  return {
    description: { provider: 'test', path: null, siteKey: null },
    issue: undefined,
    async verify(token) {
      if (token !== TEST_TOKEN) throw new ApiError('CHALLENGE_FAILED')
      return { release: async () => {} }
    },
  }
}
