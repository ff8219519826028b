import { ConnectionError } from '@public-api/client-internal/connection'
import { readHeaders } from '@public-api/client-internal/header-fields'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { isOutage } from '@public-api/client-internal/outage'
import { stepsOfStatus } from '@public-api/client-internal/verification-step'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { request } from './api-request.ts'
import { pageElement, runsOnce } from './page-element.ts'
import { readPageTexts, type PageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport, type ProofInput, type ProofVerdict } from './proof-check.ts'
import { createStepList, type StepState, stateClass } from './step-list.ts'

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

const STEP_STATES: { readonly [Outcome in ProofVerdict['outcome']]: StepState } = {
  valid: 'passed',
  invalid: 'failed',
  unavailable: 'away',
}

/** The sentence of a verdict with the color and shape of its outcome. */
export function verdictElement({ outcome, verdict }: ProofVerdict): HTMLElement {
  return pageElement('strong', verdict, stateClass(STEP_STATES[outcome]))
}

/** Verifies a response, with the current key document, which is part of what is checked. */
export function proveResponse(
  proofTexts: PageTexts,
  input: Pick<ProofInput, 'response' | 'expectedKeyId'>,
): Promise<ProofVerdict> {
  return checkProof({ ...input, readDocument: request, nowMs: Date.now() }, proofTexts)
}

/** Shows the steps of a verdict one after another. In an outage nothing was checked. */
export async function playSteps(
  stepsPlace: HTMLElement,
  proofTexts: PageTexts,
  { status }: Pick<HttpResponse, 'status'>,
  { outcome, reports }: ProofVerdict,
): Promise<void> {
  const list = showSteps(stepsPlace, proofTexts, status)
  if (outcome === 'unavailable') list.setRest({ state: 'skipped' })
  else await list.play(reports)
}

/**
 * Reads a resource so that the browser verifies it, too, if it can: only such a browser asks for this signature. What it
 * refuses is read once more, so that the steps name what is wrong.
 */
async function requestVerified(path: string, integrity: string) {
  try {
    const response = await request(path, {}, undefined, integrity)
    return { response, isNative: readHeaders(response.headers)('Signature-Input') !== undefined }
  } catch (error) {
    const isRefused = error instanceof ConnectionError && error.cause instanceof TypeError
    if (integrity === '' || !isRefused) throw error
    return { response: await request(path), isNative: false }
  }
}

/** The result of a check of a published resource. */
export type ResourceCheck =
  | {
      readonly kind: 'verified' | 'invalid' | 'unavailable'
      readonly response: HttpResponse
      readonly proof: ProofVerdict
      /** Whether the browser verified it by itself. */
      readonly isNative: boolean
    }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unsupported'; readonly response: HttpResponse }

/** Requests a resource and verifies it. An error other than that the service cannot be asked is thrown. */
export async function checkResource(
  proofTexts: PageTexts,
  path: string = READ_PATHS.status,
  integrity = '',
): Promise<ResourceCheck> {
  try {
    const { response, isNative } = await requestVerified(path, integrity)
    if ((await cryptoSupport()) !== 'ready') return { kind: 'unsupported', response }
    const proof = await proveResponse(proofTexts, { response, expectedKeyId: undefined })
    const isAnswer = proof.outcome === 'valid' && response.status === 200
    const kind = isAnswer ? 'verified' : proof.outcome === 'invalid' ? 'invalid' : 'unavailable'
    return { kind, response, proof, isNative }
  } catch (error) {
    if (isOutage(error)) return { kind: 'silent' }
    throw error
  }
}

/** The parts of a page that verifies the status of the service when a button is pressed. */
export interface LiveCheckOptions {
  readonly button: HTMLButtonElement
  readonly stepsPlace: HTMLElement
  /** What is requested, one after the other; the first that fails ends the check. Default: the status. */
  readonly paths?: readonly string[]
  onStart?(): void
  /** Called with the result before the steps are shown. */
  onCheck(check: ResourceCheck): void
  /** Shows the verdict, or the reason why it is missing. */
  showResult(nodes: readonly (Node | string)[], isVerdict: boolean): void
}

/** Mounts a check of the service's status, with the texts of the page, on its button. Returns a function that starts it. */
export function mountLiveCheck(options: LiveCheckOptions): () => Promise<void> {
  const { button, stepsPlace, paths = [READ_PATHS.status], onStart, onCheck, showResult } = options
  // The signature for browsers covers the address of the service, and the page may be read at another one.
  const canonical = document.querySelector<HTMLLinkElement>('link[rel="canonical"]')
  const isAtHome = canonical?.href.startsWith(`${location.origin}/`) === true
  const integrity = isAtHome ? stepsPlace.dataset['integrity'] : undefined
  const texts = readPageTexts('verify')
  const proofTexts = readPageTexts('proof')

  const run = runsOnce(button, async () => {
    onStart?.()
    try {
      for (const path of paths) {
        const check = await checkResource(proofTexts, path, integrity)
        onCheck(check)
        if (check.kind === 'silent' || check.kind === 'unsupported') {
          const reason = check.kind === 'silent' ? 'connection' : 'unsupported'
          showResult([texts.text(reason)], false)
          return
        }
        await playSteps(stepsPlace, proofTexts, check.response, check.proof)
        const verdict = verdictElement(check.proof)
        const nodes = check.isNative ? [verdict, ' ', texts.text('native')] : [verdict]
        showResult(paths.length > 1 ? [pageElement('code', path), ' ', ...nodes] : nodes, true)
        if (check.kind !== 'verified') return
      }
    } catch {
      showResult([texts.text('failed')], false)
    }
  })

  button.addEventListener('click', () => void run())
  return run
}
