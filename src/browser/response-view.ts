import type { HttpResponse } from '../../packages/client/src/verify-response.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { stepsOfStatus } from '../../packages/client/src/verification-step.ts'
import { highlightJson } from './json-highlight.ts'
import { partOf, textElement } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport, signedLinesOf } from './proof-check.ts'
import { createStepList, stateClass } from './step-list.ts'

/** Options of a response view. */
export interface ResponseViewOptions {
  /** The element that contains the parts of a response, as rendered by the server. */
  readonly element: HTMLElement
  /** Texts of the form. */
  readonly texts: PageTexts
  /** Texts of a verification. */
  readonly proofTexts: () => Promise<PageTexts>
  /** Id of the key that the page names, if any. */
  readonly expectedKeyId: string | undefined
  /** Requests a target without an API key. */
  readonly ask: (target: string) => Promise<HttpResponse>
}

/** JSON with a line for each member; other text unchanged. */
function readable(body: Uint8Array): string {
  const text = new TextDecoder().decode(body)
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

function headerNodes({ headers }: HttpResponse): readonly Node[] {
  const fields = headers instanceof Headers ? [...headers] : []
  return fields.map(([name, value]) => {
    const row = document.createElement('div')
    row.append(textElement('dt', name), textElement('dd', value))
    return row
  })
}

/**
 * Shows a response with its headers and verifies it step by step. If the key document or the texts do not load, a
 * message takes the place of the steps.
 */
export function createResponseView({
  element,
  texts,
  proofTexts: fetchProofTexts,
  expectedKeyId,
  ask,
}: ResponseViewOptions): (response: HttpResponse) => Promise<void> {
  const stepsPlace = partOf(element, '[data-part="steps"]', HTMLElement)
  const verdict = partOf(element, '[data-part="verdict"]', HTMLElement)
  const lines = partOf(element, '[data-part="lines"] pre', HTMLElement)
  const headers = partOf(element, '[data-part="headers"] dl', HTMLElement)
  const body = partOf(element, '[data-part="body"] pre', HTMLElement)

  async function check(response: HttpResponse): Promise<void> {
    const proofTexts = await fetchProofTexts()
    const support = await cryptoSupport()
    if (support !== 'ready') {
      const text = proofTexts.text(`cannot.${support}`)
      stepsPlace.replaceChildren(textElement('p', text, 'note note-warn'))
      return
    }
    const heads = stepsOfStatus(response.status).map((name) => ({
      name,
      label: proofTexts.text(`steps.${name}.label`),
    }))
    const list = createStepList(proofTexts, heads)
    stepsPlace.replaceChildren(list.element)
    // Requested each time: the current key document is part of what is checked.
    const keyDocument = await ask(READ_PATHS.signingKey)
    const nowMs = Date.now()
    const found = await checkProof({ response, keyDocument, expectedKeyId, nowMs }, proofTexts)
    await list.play(found.reports)
    const state = found.isGood ? 'passed' : 'failed'
    const word = textElement('strong', proofTexts.text(`states.${state}`), stateClass(state))
    verdict.replaceChildren(word, ' ', ...found.verdict)
  }

  return async (response) => {
    verdict.replaceChildren()
    stepsPlace.replaceChildren()
    lines.textContent = signedLinesOf(response)
    headers.replaceChildren(...headerNodes(response))
    body.textContent =
      response.body.length === 0 ? texts.text('emptyBody') : readable(response.body)
    highlightJson(body)
    element.hidden = false
    try {
      await check(response)
    } catch {
      stepsPlace.replaceChildren(textElement('p', texts.text('notChecked'), 'note note-warn'))
    }
  }
}
