import type { ChallengeProgress, FormChallenge, Solved } from './form-challenge.ts'

/** State-change event of the ALTCHA widget. */
interface StateChange {
  readonly state: 'code' | 'error' | 'expired' | 'unverified' | 'verified' | 'verifying'
  readonly payload: string | null
}

/** The widget's element, once its script has defined it. */
interface AltchaWidget extends HTMLElement {
  verify(): Promise<unknown>
  reset(): void
}

/** Global settings of the widget's script. */
interface WidgetPage {
  readonly $altcha: { readonly algorithms: Map<string, () => Worker> }
}

/** States to announce. */
const PROGRESS: { readonly [State in StateChange['state']]?: ChallengeProgress } = {
  verifying: 'working',
  verified: 'solved',
  error: 'failed',
}

const TAG = 'altcha-widget'
/** The service uses no other algorithm (src/service/altcha-challenge.ts). */
const ALGORITHM = 'PBKDF2/SHA-256'
/** How long the widget's script may take to load after the form was sent. */
const LOAD_TIMEOUT_MS = 15_000
/** The widget gives up after 90 seconds of work, but waits forever for a challenge. */
const SOLVE_TIMEOUT_MS = 120_000

function settledWithin<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** The proof-of-work challenge: started by the checkbox, or when the form is sent. */
export function createAltchaChallenge(element: HTMLElement): FormChallenge {
  const widget = element as AltchaWidget
  const { worker = '' } = element.dataset
  let current: StateChange = { state: 'unverified', payload: null }
  let waiting: (() => void)[] = []

  // Uses the worker file of this service, because the widget would create a worker from a blob, which CSP does not
  // allow.
  const defined = customElements.whenDefined(TAG).then(() => {
    const { $altcha } = window as unknown as WidgetPage
    $altcha.algorithms.set(ALGORITHM, () => new Worker(worker))
  })

  element.addEventListener('statechange', (event) => {
    current = (event as CustomEvent<StateChange>).detail
    if (current.state === 'verifying') return
    for (const go of waiting) go()
    waiting = []
  })

  const settled = (): Promise<true> =>
    new Promise((resolve) => {
      waiting.push(() => resolve(true))
    })

  async function solve(): Promise<Solved> {
    if (!isSecureContext) return { problem: 'challengeInsecure' }
    const isDefined = await settledWithin(
      defined.then(() => true),
      LOAD_TIMEOUT_MS,
    )
    if (isDefined === undefined) return { problem: 'challengeBlocked' }
    if (current.state !== 'verified') {
      const end = settled()
      // A running verification must not be restarted, because the widget would report the abort as a failure.
      if (current.state !== 'verifying') void widget.verify()
      if ((await settledWithin(end, SOLVE_TIMEOUT_MS)) === undefined) widget.reset()
    }
    const { payload } = current
    return payload === null ? { problem: 'challengeBroken' } : { token: payload }
  }

  return {
    isGivenBack: true,
    solve,
    renew: () => widget.reset(),
    onProgress(listener) {
      element.addEventListener('statechange', () => {
        const progress = PROGRESS[current.state]
        if (progress !== undefined) listener(progress)
      })
    },
  }
}
