import type { DataOf } from '../contract/schemas.ts'

/** The human-verification challenge as a form needs to know it. */
export type ChallengeDescription = DataOf<'EarlyAccess'>['challenge']

/** What a challenge can be solved for. How firmly a solution is tied to it is its provider's to say (`verify`). */
export const CHALLENGE_PURPOSES = ['register', 'issue-key'] as const

export type ChallengePurpose = (typeof CHALLENGE_PURPOSES)[number]

/** A solution that was accepted and is spent by it. */
export interface AcceptedChallenge {
  /**
   * Gives the solution back, for when what it was accepted for did not happen and the caller may try again. Never rejects.
   * Without effect for a hosted provider, which takes a token once: the page has to get another.
   */
  release(): Promise<void>
}

/** Human verification. */
export interface Challenge {
  readonly description: ChallengeDescription
  /**
   * A new challenge as JSON text, for the providers that the service itself serves at `description.path`; undefined for
   * the others. Rejects when the counters cannot be reached.
   */
  readonly issue: ((purpose: ChallengePurpose) => Promise<string>) | undefined
  /**
   * Checks a token and spends it: of any number of calls with one token, in whatever processes, one is accepted. Throws
   * ApiError CHALLENGE_FAILED for a token that is wrong, expired, spent or known to be made for another purpose. Rejects
   * with ChallengeUnavailableError when it cannot be told, such as for a provider that does not answer.
   *
   * ALTCHA's challenges are signed for their purpose. Of a token of Turnstile it is known only where the page that set the
   * challenge named it as the action. hCaptcha knows none: its token is good for either, once.
   */
  verify(token: string, purpose: ChallengePurpose): Promise<AcceptedChallenge>
}

/** Whether a token is good could not be found out. The message says why, and holds nothing of the token. */
export class ChallengeUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'ChallengeUnavailableError'
  }
}
