import { formatEtag } from '@public-api/contract/http/signature'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import type { ResourceCheck } from './live-verification.ts'
import { formatAge, formatMoment, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'

/** How often the check repeats while an incident is open. */
const REPEAT_MS = 60_000

/** What the headline says of each result: the edge of its box, and the shape of its sentence. */
const TONES = {
  same: { edge: undefined, line: 'good' },
  newer: { edge: undefined, line: 'warn' },
  unavailable: { edge: 'idle', line: 'warn' },
  invalid: { edge: 'bad', line: 'bad' },
  unchecked: { edge: undefined, line: 'idle' },
} as const

/** The published status in a verified response. */
function statusIn(body: Uint8Array) {
  const data = propertyOf(parseJson(body), 'data')
  const incidents = propertyOf(data, 'incidents')
  return {
    state: String(propertyOf(data, 'state')),
    updatedAt: String(propertyOf(data, 'updatedAt')),
    hasOpenIncident:
      Array.isArray(incidents) &&
      incidents.some((incident) => propertyOf(incident, 'state') !== 'resolved'),
  }
}

/** The ETag of a resource that the page shows; undefined if it does not show the resource. */
function shownEtag(resource: string): string | undefined {
  const shown = document.querySelector<HTMLElement>(`[data-resource="${resource}"]`)
  const digest = shown?.dataset['digest']
  return digest === undefined ? undefined : formatEtag(digest)
}

/**
 * The headline of the status: compares what the page shows with what was verified. The check passes only if the verified
 * data has the digest of the page; else the headline shows the verified state and its time, and offers to load the page
 * again. In an outage it keeps what was shown.
 */
export function mountStateCheck(check: () => Promise<ResourceCheck | undefined>) {
  const texts = readPageTexts('live')
  const headline = partOf(document, '#state-now', HTMLElement)
  const line = partOf(headline, '.live-result', HTMLElement)
  const badge = partOf(headline, '.lead > .state', HTMLElement)
  const time = partOf(headline, '.lead time', HTMLTimeElement)
  const shownAt = Date.parse(time.dateTime)
  const loadAgain = partOf(headline, '.load-again', HTMLElement)
  let isOpen = document.querySelector('.open-incident') !== null

  function say(kind: keyof typeof TONES, text: string): void {
    const { edge, line: tone } = TONES[kind]
    headline.dataset['live'] = kind
    if (edge !== undefined) headline.className = `state-now edge-${edge}`
    // What was not checked is never green.
    if (edge !== undefined) badge.className = 'state state-idle'
    // The same text again would be read aloud again.
    if (line.textContent === text) return
    const link = pageElement('a', text, `state state-${tone}`)
    link.href = line.querySelector('a')?.href ?? ''
    line.replaceChildren(link)
  }

  function showState(state: string, updatedAt: string): void {
    const tone = texts.text(`tones.${state}`)
    badge.textContent = texts.text(`states.${state}`)
    badge.className = `state state-${tone}`
    headline.className = `state-now edge-${tone}`
    time.dateTime = updatedAt
    time.textContent = formatMoment(updatedAt)
    const age = pageElement('span', formatAge((Date.now() - Date.parse(updatedAt)) / 1000))
    age.dataset['ago'] = updatedAt
    partOf(headline, '.lead .age', HTMLElement).replaceChildren(age)
  }

  function show(result: ResourceCheck): void {
    if (result.kind === 'silent') say('unavailable', texts.text('result.noResponse'))
    else if (result.kind === 'unavailable') {
      say('unavailable', texts.text('result.status', { status: result.response.status }))
    } else if (result.kind === 'invalid') say('invalid', texts.text('result.unverified'))
    else if (result.kind === 'unsupported') say('unchecked', texts.text('result.unchecked'))
    else {
      const { state, updatedAt, hasOpenIncident } = statusIn(result.response.body)
      const isSame = result.proof.etag === shownEtag('status')
      isOpen = hasOpenIncident
      loadAgain.hidden = isSame
      if (!isSame || headline.dataset['live'] !== undefined) showState(state, updatedAt)
      if (isSame) say('same', texts.text('result.passed'))
      else
        say('newer', texts.text(Date.parse(updatedAt) < shownAt ? 'result.older' : 'result.newer'))
    }
  }

  async function run(): Promise<void> {
    const result = await check()
    if (result !== undefined) show(result)
  }

  loadAgain.addEventListener('click', () => location.reload())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void run()
  })
  return {
    show,
    run,
    /** Repeats the check each minute while an incident is open. */
    repeat: () =>
      setInterval(() => {
        if (isOpen && document.visibilityState === 'visible') void run()
      }, REPEAT_MS),
  }
}
