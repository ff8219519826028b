import { formatEtag } from '@public-api/contract/http/signature'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { ageMs } from '@public-api/contract/text/elapsed'
import type { ResourceCheck } from './live-verification.ts'
import { formatAge, formatPageMoment, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { showOwnTimes } from './page-times.ts'
import { type Origin, shownTruth, type Tone } from './shown-truth.ts'

/** How often the check repeats while an incident is open. */
const REPEAT_MS = 60_000

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
 * again. What it may claim is in shown-truth.ts.
 */
export function mountStateCheck(check: () => Promise<ResourceCheck | undefined>) {
  const texts = readPageTexts('live')
  const headline = partOf(document, '#state-now', HTMLElement)
  const line = partOf(headline, '.live-result', HTMLElement)
  const badge = partOf(headline, '.lead > .state', HTMLElement)
  const time = partOf(headline, '.lead .utc time', HTMLTimeElement)
  const shownAt = Date.parse(time.dateTime)
  const loadAgain = partOf(headline, '.load-again', HTMLElement)
  let isOpen = document.querySelector('.open-incident') !== null

  const isCopy = document.getElementById('copy') !== null
  let tone = (badge.dataset['tone'] ?? 'idle') as Tone

  function say(origin: Origin, status = 0): void {
    const truth = shownTruth(tone, origin, isCopy)
    headline.dataset['live'] = origin
    headline.className = `state-now edge-${truth.edge}`
    badge.className = `state state-${truth.badge}`
    document.body.toggleAttribute('data-unconfirmed', !truth.keepsGood)
    const text = texts.text(`result.${truth.line.text}`, { status })
    // The same text again would be read aloud again.
    if (line.textContent === text) return
    const link = pageElement('a', text, `state state-${truth.line.tone}`)
    link.href = line.querySelector('a')?.href ?? ''
    line.replaceChildren(link)
  }

  function showState(state: string, updatedAt: string): void {
    tone = texts.text(`tones.${state}`) as Tone
    badge.textContent = texts.text(`states.${state}`)
    time.dateTime = updatedAt
    time.textContent = formatPageMoment(updatedAt)
    showOwnTimes(headline)
    const age = formatAge(ageMs(updatedAt, Date.now()) / 1000)
    headline.querySelector('.age')?.replaceChildren(age)
  }

  function show(result: ResourceCheck): void {
    if (result.kind === 'silent') say('silent')
    else if (result.kind === 'unavailable') say('unavailable', result.response.status)
    else if (result.kind !== 'verified') say(result.kind)
    else {
      const { state, updatedAt, hasOpenIncident } = statusIn(result.response.body)
      const isSame = result.proof.etag === shownEtag('status')
      isOpen = hasOpenIncident
      loadAgain.hidden = isSame
      if (!isSame || headline.dataset['live'] !== undefined) showState(state, updatedAt)
      say(isSame ? 'same' : Date.parse(updatedAt) < shownAt ? 'older' : 'newer')
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
