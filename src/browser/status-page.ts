// The status page: checks that the API responds, that the page shows what it responds with, and how accurate the server time is.
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { request } from './api-request.ts'
import { checkResource, type ResourceCheck } from './live-verification.ts'
import { partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { mountStateCheck } from './state-check.ts'
import { createStepList } from './step-list.ts'

const STEPS = ['api', 'signature', 'time'] as const

/** A check without a result for a moment would flicker each minute, so the steps change only with the result. */
function createStatusSteps(container: HTMLElement) {
  const texts = readPageTexts('live')
  const list = createStepList(readPageTexts('proof'), STEPS, (name) => texts.text(`steps.${name}`))
  container.replaceChildren(list.element)
  let shown = ''

  async function showTime(): Promise<void> {
    try {
      const time = await request(READ_PATHS.time)
      const quality = propertyOf(propertyOf(parseJson(time.body), 'data'), 'quality')
      const state = propertyOf(quality, 'state')
      const detail =
        typeof state === 'string' ? texts.text(`times.${state}`) : `HTTP ${time.status}`
      list.set('time', { state: state === 'SYNCHRONIZED' ? 'passed' : 'skipped', detail })
    } catch {
      list.set('time', { state: 'skipped' })
    }
  }

  return async (check: ResourceCheck, milliseconds: number): Promise<void> => {
    const outcome = check.kind === 'silent' ? check.kind : `${check.kind} ${check.response.status}`
    if (outcome === shown) return
    shown = outcome
    if (check.kind === 'silent') {
      list.set('api', { state: 'away' })
      list.setRest({ state: 'skipped' })
      return
    }
    const { status } = check.response
    list.set('api', {
      state: status === 200 ? 'passed' : check.kind === 'unavailable' ? 'away' : 'failed',
      detail: texts.text('api', { status, milliseconds }),
    })
    // The headline says why nothing could be verified.
    if (check.kind === 'unsupported' || check.kind === 'unavailable')
      list.set('signature', { state: 'skipped' })
    else {
      const { outcome: proved, verdict, reports } = check.proof
      const state = proved === 'valid' ? 'passed' : 'failed'
      // "Passed" says already that all checks passed.
      const signed = reports.find(({ name }) => name === 'freshness')?.detail
      const detail = state === 'passed' ? signed : verdict
      list.set('signature', { state, ...(detail === undefined ? {} : { detail }) })
      // A failed step says what was expected and found.
      if (state === 'failed') partOf(document, '#live', HTMLDetailsElement).open = true
    }
    await showTime()
  }
}

const container = document.getElementById('self-check')

if (container !== null) {
  const showSteps = createStatusSteps(container)
  const proofTexts = readPageTexts('proof')
  const headline = mountStateCheck(async () => {
    const startedMs = performance.now()
    const check = await checkResource(proofTexts)
    void showSteps(check, Math.round(performance.now() - startedMs))
    return check
  })
  void headline.run()
  headline.repeat()
}

// Feeds and saved links name incidents that have pages of their own now.
const [, kind, id] = /^#(incident|maintenance)-([a-z0-9-]+)$/.exec(location.hash) ?? []
if (kind !== undefined && document.getElementById(location.hash.slice(1)) === null) {
  location.replace(`${location.pathname}/${kind}s/${id}`)
}
