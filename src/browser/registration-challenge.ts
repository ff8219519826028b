import type { FormChallenge } from './form-challenge.ts'
import { createAltchaChallenge } from './registration-altcha.ts'
import { createHostedChallenge } from './registration-hosted.ts'

/** The checkbox of a test deployment. */
function createTestChallenge(box: HTMLInputElement): FormChallenge {
  return {
    isGivenBack: true,
    solve: async () => (box.checked ? { token: box.value } : { problem: 'CHALLENGE_REQUIRED' }),
    renew() {
      box.checked = false
    },
  }
}

/** Creates the challenge of an element by its `data-provider`. Throws an Error for an unknown provider. */
export function createFormChallenge(element: HTMLElement): FormChallenge {
  const { provider = '' } = element.dataset
  const box = element.querySelector('input')
  if (provider === 'altcha') return createAltchaChallenge(element)
  if (provider === 'turnstile' || provider === 'hcaptcha') {
    return createHostedChallenge(provider, element)
  }
  if (provider === 'test' && box !== null) return createTestChallenge(box)
  throw new Error(`Unknown challenge provider "${provider}"`)
}
