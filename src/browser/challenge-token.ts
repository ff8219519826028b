// The endpoints whose requests need a token of a challenge: a button gets one, and writes it into the samples.
import { type Challenge, solveChallengeWorkers } from 'altcha-lib'
import { partOf, runsOnce } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'

/** Workers that try solutions at the same time. */
const MAX_WORKERS = 4

/** A token of a new challenge, as the widget of the form makes it, and the time of its end. */
async function getToken(address: string, worker: string) {
  const response = await fetch(address, { credentials: 'omit', cache: 'no-store' })
  if (!response.ok) throw new Error(`Status ${response.status}`)
  const challenge = (await response.json()) as Challenge
  const solution = await solveChallengeWorkers({
    challenge,
    concurrency: Math.min(navigator.hardwareConcurrency || 1, MAX_WORKERS),
    createWorker: () => new Worker(worker),
  })
  if (solution === null) throw new Error('No solution was found in time')
  const { parameters, signature } = challenge
  return {
    token: btoa(JSON.stringify({ challenge: { parameters, signature }, solution })),
    expiresAtMs: (parameters.expiresAt ?? Date.now() / 1000) * 1000,
  }
}

/** Gets a challenge token when its button is pressed, shows it, and puts it into the samples of its endpoint. */
function mountChallengeToken(place: HTMLElement): void {
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

for (const place of document.querySelectorAll<HTMLElement>('.token')) mountChallengeToken(place)
