import type { DataOf } from '../contract/schemas.ts'

/** The human-verification challenge as a form needs to know it. */
export type ChallengeDescription = DataOf<'EarlyAccess'>['challenge']

/** What a challenge is solved for; a solution for one is none for the other. */
export type ChallengePurpose = 'register' | 'issue-key'

/** A solution that was accepted and is spent by it. */
export interface AcceptedChallenge {
  /** Gives the solution back, for when what it was accepted for did not happen and the caller may try again. Never rejects. */
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
   * ApiError CHALLENGE_FAILED for a token that is wrong, expired, made for another purpose or spent. Rejects with
   * ChallengeUnavailableError when it cannot be told, such as for a provider that does not answer.
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
