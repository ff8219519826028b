import { ConnectionError, createConnection } from '../../packages/client/src/connection.ts'
import { stepsOfStatus } from '../../packages/client/src/verification-step.ts'
import type { HttpResponse } from '../../packages/client/src/verify-response.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { textElement } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport } from './proof-check.ts'
import { createStepList, stateClass } from './step-list.ts'

const TIMEOUT_MS = 20_000

const connection = createConnection(location.origin, (url, init) => fetch(url, init))

/** Requests a target of this origin. */
export function request(target: string): Promise<HttpResponse> {
  return connection.send(target, {}, AbortSignal.timeout(TIMEOUT_MS))
}

/** Whether an error means that no response arrived. */
export function isNoResponse(error: unknown): boolean {
  const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
  return error instanceof ConnectionError || isTimeout
}

/** Options of a live verification. */
export interface LiveVerificationOptions {
  readonly target: string
  readonly proofTexts: PageTexts
  /** Receives the list of steps, which fills in while they are shown. */
  readonly stepsPlace: HTMLElement
  /** Called with the response before it is checked. */
  onResponse(response: HttpResponse): void
}

/** The result as a paragraph: its state and a sentence. */
export interface LiveVerdict {
  readonly isGood: boolean
  readonly nodes: readonly (Node | string)[]
}

/**
 * Requests a response, verifies it, and shows the steps one after another. Returns undefined if this browser has no
 * Ed25519. Rejects if no response arrives.
 */
export async function verifyLive(
  options: LiveVerificationOptions,
): Promise<LiveVerdict | undefined> {
  const { target, proofTexts, stepsPlace, onResponse } = options
  if ((await cryptoSupport()) !== 'ready') return undefined
  const response = await request(target)
  const keyDocument = await request(READ_PATHS.signingKey)
  onResponse(response)
  const heads = stepsOfStatus(response.status).map((name) => ({
    name,
    label: proofTexts.text(`steps.${name}.label`),
  }))
  const list = createStepList(proofTexts, heads)
  stepsPlace.replaceChildren(list.element)
  const input = { response, keyDocument, expectedKeyId: undefined, nowMs: Date.now() }
  const { isGood, reports, verdict } = await checkProof(input, proofTexts)
  await list.play(reports)
  const state = isGood ? 'passed' : 'failed'
  const label = textElement('strong', proofTexts.text(`states.${state}`), stateClass(state))
  return { isGood, nodes: [label, ' ', ...verdict] }
}
