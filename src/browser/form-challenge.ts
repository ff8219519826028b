/** The token of a solved challenge, or the reason why it is missing: a key of the page's texts of mistakes. */
export type Solved =
  | { readonly token: string }
  | {
      readonly failure:
        | 'CHALLENGE_REQUIRED'
        | 'challengeBroken'
        | 'challengeBlocked'
        | 'challengeInsecure'
    }

/** The human verification as the form uses it, for every provider. */
export interface FormChallenge {
  /** Returns the token. Solves the challenge first if that needs no interaction. Never rejects. */
  solve(): Promise<Solved>
  /** Discards the used token and prepares for another. */
  renew(): void
  /** Whether the service returns the token when it could not store the registration. */
  readonly isGivenBack: boolean
  /** Reports states. Set only where the widget does not announce them to screen readers. */
  onState?(listener: (state: WidgetState) => void): void
}

type WidgetState = 'code' | 'error' | 'expired' | 'unverified' | 'verified' | 'verifying'

/** The ALTCHA widget's element, once its script has defined it. */
interface AltchaWidget extends HTMLElement {
  verify(): Promise<unknown>
  reset(): void
}

/** The service uses no other algorithm (src/service/challenge/altcha-challenge.ts). */
const ALGORITHM = 'PBKDF2/SHA-256'
/** How long the widget's script may take to load after the form was sent. */
const LOAD_TIMEOUT_MS = 15_000
/** The widget gives up after 90 seconds of work, but waits forever for a challenge. */
const SOLVE_TIMEOUT_MS = 120_000

function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, ms, false))
  return Promise.race([work.then(() => true), late])
}

/** The proof-of-work challenge: started by the checkbox, or when the form is sent. */
function createAltchaChallenge(element: HTMLElement): FormChallenge {
  const widget = element as AltchaWidget
  const { worker = '' } = element.dataset
  let state: WidgetState = 'unverified'
  let payload: string | null = null
  let onEnd: (() => void) | undefined
  let onState: ((state: WidgetState) => void) | undefined

  // Uses the worker file of this service, because the widget would create a worker from a blob, which CSP does not
  // allow.
  const defined = customElements.whenDefined('altcha-widget').then(() => {
    const { $altcha } = window as unknown as {
      readonly $altcha: { readonly algorithms: Map<string, () => Worker> }
    }
    $altcha.algorithms.set(ALGORITHM, () => new Worker(worker))
  })

  element.addEventListener('statechange', (event) => {
    const { detail } = event as CustomEvent<{ state: WidgetState; payload: string | null }>
    ;({ state, payload } = detail)
    if (state !== 'verifying') onEnd?.()
    onState?.(state)
  })

  return {
    isGivenBack: true,
    async solve() {
      if (!isSecureContext) return { failure: 'challengeInsecure' }
      if (!(await isDoneWithin(defined, LOAD_TIMEOUT_MS))) return { failure: 'challengeBlocked' }
      if (state !== 'verified') {
        const end = new Promise<void>((resolve) => (onEnd = resolve))
        // A running verification must not be restarted, because the widget would report the abort as a failure.
        if (state !== 'verifying') void widget.verify()
        if (!(await isDoneWithin(end, SOLVE_TIMEOUT_MS))) widget.reset()
      }
      return payload === null ? { failure: 'challengeBroken' } : { token: payload }
    },
    renew: () => widget.reset(),
    onState: (listener) => void (onState = listener),
  }
}

/** The API of both providers' scripts. */
interface ProviderApi {
  render(container: HTMLElement, options: object): string
  reset(id: string): void
}

const PROVIDER_SCRIPTS = {
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  hcaptcha: 'https://js.hcaptcha.com/1/api.js',
} as const

type HostedProvider = keyof typeof PROVIDER_SCRIPTS

/** The function that a provider's script calls when it is ready. */
const ONLOAD = 'onChallengeLoaded'
/** Below this width the providers' default box of 300 px does not fit. */
const COMPACT_BELOW_PX = 340

/** Loads a provider's script; rejects if it does not load. */
function loadApi(provider: HostedProvider): Promise<ProviderApi> {
  const page = window as unknown as { [name: string]: unknown }
  return new Promise((resolve, reject) => {
    page[ONLOAD] = () => resolve(page[provider] as ProviderApi)
    const script = document.createElement('script')
    script.src = `${PROVIDER_SCRIPTS[provider]}?render=explicit&onload=${ONLOAD}`
    script.async = true
    script.addEventListener('error', () => reject(new Error(`${provider} did not load`)))
    document.head.append(script)
  })
}

/** A Turnstile or hCaptcha challenge in an element whose `data-site-key` is this service's. */
function createHostedChallenge(provider: HostedProvider, element: HTMLElement): FormChallenge {
  const { lang, dataset } = document.documentElement
  const theme = dataset['theme'] ?? 'system'
  const isSystemDark = matchMedia('(prefers-color-scheme: dark)').matches
  let token: string | undefined
  let reset: (() => void) | undefined
  let isBlocked = false

  const forget = (): void => void (token = undefined)

  function show(api: ProviderApi): void {
    const id = api.render(element, {
      sitekey: element.dataset['siteKey'] ?? '',
      theme: theme === 'dark' || (theme === 'system' && isSystemDark) ? 'dark' : 'light',
      size: innerWidth < COMPACT_BELOW_PX ? 'compact' : 'normal',
      // The service refuses tokens of Turnstile for another action.
      ...(provider === 'turnstile' ? { language: lang, action: 'register' } : { hl: lang }),
      callback: (solved: string) => void (token = solved),
      'expired-callback': forget,
      'error-callback': forget,
    })
    reset = () => api.reset(id)
  }

  loadApi(provider)
    .then(show)
    .catch(() => {
      isBlocked = true
    })

  return {
    isGivenBack: false,
    async solve() {
      if (token !== undefined) return { token }
      return { failure: isBlocked ? 'challengeBlocked' : 'CHALLENGE_REQUIRED' }
    },
    renew() {
      forget()
      reset?.()
    },
  }
}

/** The checkbox of a test deployment. */
function createTestChallenge(box: HTMLInputElement): FormChallenge {
  return {
    isGivenBack: true,
    solve: async () => (box.checked ? { token: box.value } : { failure: 'CHALLENGE_REQUIRED' }),
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
