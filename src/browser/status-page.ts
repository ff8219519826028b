// The status page: checks that the API responds, that the response verifies, and how accurate the server time is.
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { request } from './api-request.ts'
import { formatAge, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport } from './proof-check.ts'
import { createStepList, type StepState, stateClass } from './step-list.ts'

const STEPS = ['api', 'signature', 'time'] as const

type Step = (typeof STEPS)[number]

const place = document.getElementById('self-check')

async function run(container: HTMLElement): Promise<void> {
  const texts = readPageTexts('live')
  const proofTexts = readPageTexts('proof')
  const list = createStepList(proofTexts, STEPS, (name) => texts.text(`steps.${name}`))
  container.replaceChildren(list.element)
  let current = 'api' as Step

  const begin = (step: Step): void => {
    current = step
    list.set(step, { state: 'running' })
  }

  /** Shows the result beside the published state. A failure contradicts it. */
  function showResult(state: StepState, text: string): void {
    const banner = partOf(document, '#state-now', HTMLElement)
    banner.dataset['live'] = state
    const link = pageElement('a', text, stateClass(state))
    link.href = '#live'
    partOf(banner, '.live-result', HTMLElement).replaceChildren(link)
    if (state === 'failed') {
      // A green badge would contradict the failure.
      partOf(banner, '.lead > .state', HTMLElement).className = 'state state-idle'
    }
  }

  const fail = (text: string): void =>
    showResult('failed', `${text} ${texts.text('result.contradiction')}`)

  try {
    begin('api')
    const startedMs = performance.now()
    const response = await request(READ_PATHS.status)
    const milliseconds = Math.round(performance.now() - startedMs)
    const { status } = response
    const isUp = status === 200
    list.set('api', {
      state: isUp ? 'passed' : 'failed',
      detail: texts.text('api', { status, milliseconds }),
    })
    begin('signature')
    let isVerified: boolean | undefined
    if ((await cryptoSupport()) === 'ready') {
      const keyDocument = await request(READ_PATHS.signingKey)
      const input = { response, keyDocument, expectedKeyId: undefined, nowMs: Date.now() }
      const { isGood, verdict } = await checkProof(input, proofTexts)
      isVerified = isGood
      list.set('signature', { state: isGood ? 'passed' : 'failed', detail: verdict })
    } else {
      list.set('signature', { state: 'skipped' })
    }
    if (!isUp) fail(texts.text('result.status', { status }))
    else if (isVerified === false) fail(texts.text('result.unverified'))
    else if (isVerified === true) showResult('passed', texts.text('result.passed'))
    else showResult('skipped', texts.text('result.unchecked'))
    begin('time')
    const time = await request(READ_PATHS.time)
    const quality = propertyOf(propertyOf(parseJson(time.body), 'data'), 'quality')
    const state = propertyOf(quality, 'state')
    list.set(
      'time',
      typeof state === 'string'
        ? {
            state: state === 'SYNCHRONIZED' ? 'passed' : 'skipped',
            detail: texts.text(`times.${state}`),
          }
        : { state: 'failed', detail: `HTTP ${time.status}` },
    )
  } catch {
    list.set(current, { state: 'failed', detail: texts.text('noResponse') })
    list.setRest({ state: 'skipped' })
    if (current !== 'time') fail(texts.text('result.noResponse'))
  }
}

/** Shows the notes of planned times that have passed, with their age. */
function showPassedTimes(nowMs: number): void {
  for (const note of document.querySelectorAll<HTMLElement>('[data-planned]')) {
    const seconds = (nowMs - Date.parse(note.dataset['planned'] ?? '')) / 1000
    if (!(seconds >= 60)) continue
    partOf(note, '.age', HTMLElement).textContent = formatAge(seconds)
    note.hidden = false
  }
}

if (place !== null) void run(place)
showPassedTimes(Date.now())
