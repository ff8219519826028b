import { createAltchaChallenge } from './registration-altcha.ts'
import { createHostedChallenge } from './registration-hosted.ts'

/** Why there is no token: a key of the page's problems. */
export type ChallengeProblem =
  | 'CHALLENGE_REQUIRED'
  | 'challengeBroken'
  | 'challengeBlocked'
  | 'challengeInsecure'

/** What came of the challenge. */
export type Solved = { readonly token: string } | { readonly problem: ChallengeProblem }

/** How far a challenge has come that a person started. */
export type ChallengeProgress = 'working' | 'solved' | 'failed'

/** The human verification as the form uses it, whoever sets it. */
export interface FormChallenge {
  /** The token, solved for now if that takes no person; otherwise why there is none. Never rejects. */
  solve(): Promise<Solved>
  /** Drops the token, since it was used, and gets ready for another. */
  renew(): void
  /** Whether the service gives a token back when it could not store what was sent with it. */
  readonly isGivenBack: boolean
  /** Tells how far it is, where nothing else in the page would. */
  onProgress?(listener: (progress: ChallengeProgress) => void): void
}

/** The box to tick where a deployment is for trying things out. */
function createTestChallenge(box: HTMLInputElement): FormChallenge {
  return {
    isGivenBack: true,
    solve: async () => (box.checked ? { token: box.value } : { problem: 'CHALLENGE_REQUIRED' }),
    renew() {
      box.checked = false
    },
  }
}

/** The challenge that the server has put into an element (`data-provider`). Throws an Error for one not known here. */
export function createFormChallenge(element: HTMLElement): FormChallenge {
  const { provider = '' } = element.dataset
  const box = element.querySelector('input')
  if (provider === 'altcha') return createAltchaChallenge(element)
  if (provider === 'turnstile' || provider === 'hcaptcha') {
    return createHostedChallenge(provider, element)
  }
  if (provider === 'test' && box !== null) return createTestChallenge(box)
  throw new Error(`expected a challenge that is known here, found "${provider}"`)
}
