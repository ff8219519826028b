// The status page: checks that the API responds, that the response verifies, and how accurate the server time is.
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { request } from './api-request.ts'
import { readPageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport } from './proof-check.ts'
import { createStepList } from './step-list.ts'

const STEPS = ['api', 'signature', 'time'] as const

const place = document.getElementById('self-check')

async function run(container: HTMLElement): Promise<void> {
  const texts = readPageTexts('live')
  const proofTexts = readPageTexts('proof')
  const list = createStepList(proofTexts, STEPS, (name) => texts.text(`steps.${name}`))
  container.replaceChildren(list.element)
  try {
    list.set('api', { state: 'running' })
    const startedMs = performance.now()
    const response = await request(READ_PATHS.status)
    const milliseconds = Math.round(performance.now() - startedMs)
    list.set('api', {
      state: response.status === 200 ? 'passed' : 'failed',
      detail: texts.text('api', { status: response.status, milliseconds }),
    })
    const isReady = (await cryptoSupport()) === 'ready'
    if (isReady) {
      const keyDocument = await request(READ_PATHS.signingKey)
      const input = { response, keyDocument, expectedKeyId: undefined, nowMs: Date.now() }
      const { isGood, verdict } = await checkProof(input, proofTexts)
      list.set('signature', { state: isGood ? 'passed' : 'failed', detail: verdict })
    } else {
      list.set('signature', { state: 'skipped' })
    }
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
    list.setRest({ state: 'failed', detail: texts.text('noResponse') })
  }
}

if (place !== null) void run(place)
