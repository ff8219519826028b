/** The reason for a missing token: a key of the page's problems. */
export type ChallengeProblem =
  | 'CHALLENGE_REQUIRED'
  | 'challengeBroken'
  | 'challengeBlocked'
  | 'challengeInsecure'

/** The result of solving a challenge. */
export type Solved = { readonly token: string } | { readonly problem: ChallengeProblem }

/** Progress of a challenge that a person started. */
export type ChallengeProgress = 'working' | 'solved' | 'failed'

/** The human verification as the form uses it, for every provider. */
export interface FormChallenge {
  /** Returns the token. Solves the challenge first if that needs no interaction. Never rejects. */
  solve(): Promise<Solved>
  /** Discards the used token and prepares for another. */
  renew(): void
  /** Whether the service returns the token when it could not store the registration. */
  readonly isGivenBack: boolean
  /** Reports progress. Set only where the widget does not announce it to screen readers. */
  onProgress?(listener: (progress: ChallengeProgress) => void): void
}
