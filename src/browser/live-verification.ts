import { ConnectionError } from '@public-api/client-internal/connection'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { stepsOfStatus } from '@public-api/client-internal/verification-step'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { request } from './api-request.ts'
import { pageElement, runsOnce } from './page-element.ts'
import { readPageTexts, type PageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport, type ProofInput } from './proof-check.ts'
import { createStepList, stateClass } from './step-list.ts'

/** Replaces the list of steps by the steps for this status. */
function showSteps(stepsPlace: HTMLElement, proofTexts: PageTexts, status: number) {
  const names = stepsOfStatus(status)
  const list = createStepList(proofTexts, names, (name) => proofTexts.text(`steps.${name}.label`))
  stepsPlace.replaceChildren(list.element)
  return list
}

/** Shows every step as not checked: no response arrived, or this browser has no Ed25519. */
export function showUnchecked(stepsPlace: HTMLElement): void {
  showSteps(stepsPlace, readPageTexts('proof'), 200).setRest({ state: 'skipped' })
}

/** Verifies a response, shows the steps one after another, and returns the result: its state and a sentence. */
export async function showProof(
  stepsPlace: HTMLElement,
  proofTexts: PageTexts,
  input: Pick<ProofInput, 'response' | 'expectedKeyId'>,
): Promise<readonly (Node | string)[]> {
  const list = showSteps(stepsPlace, proofTexts, input.response.status)
  // Requested each time: the current key document is part of what is checked.
  const keyDocument = await request(READ_PATHS.signingKey)
  const proof = { ...input, keyDocument, nowMs: Date.now() }
  const { isGood, reports, verdict } = await checkProof(proof, proofTexts)
  await list.play(reports)
  const state = isGood ? 'passed' : 'failed'
  const label = pageElement('strong', proofTexts.text(`states.${state}`), stateClass(state))
  return [label, ' ', ...verdict]
}

/** The parts of a page that verifies the status of the service when a button is pressed. */
export interface LiveCheckOptions {
  readonly button: HTMLButtonElement
  readonly stepsPlace: HTMLElement
  /** What is requested, one after the other; the first that fails ends the check. Default: the status. */
  readonly paths?: readonly string[]
  onStart?(): void
  /** Called with the response before it is checked. */
  onResponse(response: HttpResponse): void
  /** Shows the verdict, or the reason why it is missing. */
  showResult(nodes: readonly (Node | string)[], isVerdict: boolean): void
}

/** Mounts a check of the service's status, with the texts of the page, on its button. Returns a function that starts it. */
export function mountLiveCheck(options: LiveCheckOptions): () => Promise<void> {
  const {
    button,
    stepsPlace,
    paths = [READ_PATHS.status],
    onStart,
    onResponse,
    showResult,
  } = options
  const texts = readPageTexts('verify')
  const proofTexts = readPageTexts('proof')

  const run = runsOnce(button, async () => {
    onStart?.()
    try {
      if ((await cryptoSupport()) !== 'ready') {
        showResult([texts.text('unsupported')], false)
        return
      }
      for (const path of paths) {
        const response = await request(path)
        onResponse(response)
        const input = { response, expectedKeyId: undefined }
        const nodes = await showProof(stepsPlace, proofTexts, input)
        const named = [pageElement('code', path), ' ', ...nodes]
        showResult(paths.length > 1 ? named : nodes, true)
        if (stepsPlace.querySelector('[data-state="failed"]') !== null) return
      }
    } catch (error) {
      const isSilent = error instanceof ConnectionError
      showResult([texts.text(isSilent ? 'connection' : 'failed')], false)
    }
  })

  button.addEventListener('click', () => void run())
  return run
}
