import { propertyOf } from '@public-api/contract/json/property-of'
import { partOf, runsOnce } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'

/** Workers that try solutions at the same time. */
const MAX_WORKERS = 4
const TIMEOUT_MS = 90_000

/** What the worker of ALTCHA finds, or null after its time. */
interface Solution {
  readonly counter: number
  readonly derivedKey: string
}

/** Solves an ALTCHA challenge with the widget's worker. Rejects if none finds the solution in time. */
async function solve(challenge: unknown, worker: string): Promise<Solution> {
  const count = Math.min(navigator.hardwareConcurrency || 1, MAX_WORKERS)
  const workers = Array.from({ length: count }, () => new Worker(worker))
  try {
    return await Promise.any(
      workers.map(
        (each, counterStart) =>
          new Promise<Solution>((resolve, reject) => {
            each.addEventListener('error', () => reject(new Error('The worker did not start')))
            each.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
              if (typeof propertyOf(data, 'counter') === 'number') resolve(data as Solution)
              else reject(new Error('The worker found no solution'))
            })
            const work = { type: 'work', challenge, counterStart, counterStep: count }
            each.postMessage({ ...work, timeout: TIMEOUT_MS }, [])
          }),
      ),
    )
  } finally {
    for (const each of workers) each.terminate()
  }
}

/** A token of a new challenge, as the widget of the form makes it, and the time of its end. */
async function getToken(address: string, worker: string) {
  const response = await fetch(address, { credentials: 'omit', cache: 'no-store' })
  if (!response.ok) throw new Error(`Status ${response.status}`)
  const challenge: unknown = await response.json()
  const solution = await solve(challenge, worker)
  const parameters = propertyOf(challenge, 'parameters')
  const signature = propertyOf(challenge, 'signature')
  const expiresAt = propertyOf(parameters, 'expiresAt')
  return {
    token: btoa(JSON.stringify({ challenge: { parameters, signature }, solution })),
    expiresAtMs: typeof expiresAt === 'number' ? expiresAt * 1000 : Date.now(),
  }
}

/** Gets a challenge token when its button is pressed, shows it, and puts it into the samples of its endpoint. */
export function mountChallengeToken(place: HTMLElement): void {
  const texts = readPageTexts('token')
  const { challenge = '', worker = '' } = place.dataset
  const button = partOf(place, 'button', HTMLButtonElement)
  const status = partOf(place, '[role=status]', HTMLElement)
  const shown = partOf(place, '.copied-value', HTMLElement)
  const output = partOf(shown, 'code', HTMLElement)
  const samples = [...(place.closest('.endpoint')?.querySelectorAll('.samples code') ?? [])]
  let current = 'CHALLENGE_TOKEN'

  const run = runsOnce(button, async () => {
    status.textContent = texts.text('solving')
    try {
      const { token, expiresAtMs } = await getToken(challenge, worker)
      for (const sample of samples) {
        sample.textContent = sample.textContent.replace(current, token)
      }
      current = token
      output.textContent = token
      shown.hidden = false
      const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: 'short' })
      status.textContent = texts.text('solved', { time: time.format(expiresAtMs) })
    } catch {
      status.textContent = texts.text('failed')
    }
  })
  button.addEventListener('click', () => void run())
}
