import type { FormChallenge, Solved } from './form-challenge.ts'

/** The API of both providers' scripts; each has some more options. */
interface ProviderApi {
  render(
    container: HTMLElement,
    options: {
      readonly sitekey: string
      readonly theme: 'light' | 'dark'
      readonly size: 'normal' | 'compact'
      /** Turnstile: the language of its texts. */
      readonly language?: string
      /** hCaptcha: the language of its texts. */
      readonly hl?: string
      /** Turnstile: the purpose of the token; the service refuses tokens for another one. */
      readonly action?: string
      readonly callback: (token: string) => void
      readonly 'expired-callback': () => void
      readonly 'error-callback': () => void
    },
  ): string
  reset(id: string): void
}

type Provider = 'turnstile' | 'hcaptcha'

const SCRIPTS: { readonly [P in Provider]: string } = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js',
}

/** The function that a provider's script calls when it is ready. */
const ONLOAD = 'onChallengeLoaded'
/** Below this width the providers' default box of 300 px does not fit. */
const COMPACT_BELOW_PX = 340

/** Loads a provider's script; rejects if it does not load. */
function loadApi(provider: Provider): Promise<ProviderApi> {
  const page = window as unknown as { [name: string]: unknown }
  const url = new URL(SCRIPTS[provider])
  url.searchParams.set('render', 'explicit')
  url.searchParams.set('onload', ONLOAD)
  return new Promise((resolve, reject) => {
    page[ONLOAD] = () => resolve(page[provider] as ProviderApi)
    const script = document.createElement('script')
    script.src = url.href
    script.async = true
    script.addEventListener('error', () => reject(new Error(`${provider} did not load`)))
    document.head.append(script)
  })
}

/** A Turnstile or hCaptcha challenge in an element whose `data-site-key` is this service's. */
export function createHostedChallenge(provider: Provider, element: HTMLElement): FormChallenge {
  const { lang } = document.documentElement
  let token: string | undefined
  let id: string | undefined
  let api: ProviderApi | undefined
  let isBlocked = false

  const forget = (): void => void (token = undefined)
  const texts = provider === 'turnstile' ? { language: lang, action: 'register' } : { hl: lang }

  function show(loaded: ProviderApi): void {
    api = loaded
    id = loaded.render(element, {
      sitekey: element.dataset['siteKey'] ?? '',
      theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
      size: innerWidth < COMPACT_BELOW_PX ? 'compact' : 'normal',
      ...texts,
      callback: (solved) => void (token = solved),
      'expired-callback': forget,
      'error-callback': forget,
    })
  }

  loadApi(provider)
    .then(show)
    .catch(() => {
      isBlocked = true
    })

  async function solve(): Promise<Solved> {
    if (token !== undefined) return { token }
    return { problem: isBlocked ? 'challengeBlocked' : 'CHALLENGE_REQUIRED' }
  }

  return {
    isGivenBack: false,
    solve,
    renew() {
      forget()
      if (id !== undefined) api?.reset(id)
    },
  }
}
