import type { HttpResponse } from '@public-api/client-internal/http-response'
import { escapeHidden } from '@public-api/contract/text/hidden-characters'
import { highlightJson } from './json-highlight.ts'
import { playSteps, proveResponse, verdictElement } from './live-verification.ts'
import { pageElement, partOf } from './page-element.ts'
import { fetchPageTexts, type PageTexts } from './page-texts.ts'
import { cryptoSupport, signedLinesOf } from './proof-check.ts'

/** JSON with a line for each member; other text unchanged. */
function readable(body: Uint8Array): string {
  const text = new TextDecoder().decode(body)
  try {
    return escapeHidden(JSON.stringify(JSON.parse(text), undefined, 2))
  } catch {
    return escapeHidden(text)
  }
}

/**
 * Shows a response with its headers and verifies it step by step, with the texts of another page. If the key document or the texts do not load, a
 * message replaces the steps.
 */
export function createResponseView(
  element: HTMLElement,
  texts: PageTexts,
  proofPage: string,
  expectedKeyId: string | undefined,
): (response: HttpResponse) => Promise<void> {
  const stepsPlace = partOf(element, '[data-part="steps"]', HTMLElement)
  const verdict = partOf(element, '[data-part="verdict"]', HTMLElement)
  const lines = partOf(element, '[data-part="lines"] pre', HTMLElement)
  const headers = partOf(element, '[data-part="headers"] pre', HTMLElement)
  const body = partOf(element, '[data-part="body"] pre', HTMLElement)

  async function check(response: HttpResponse): Promise<void> {
    const proofTexts = await fetchPageTexts(proofPage, 'proof')
    const support = await cryptoSupport()
    if (support !== 'ready') {
      const text = proofTexts.text(`cannot.${support}`)
      stepsPlace.replaceChildren(pageElement('p', text, 'note note-warn'))
      return
    }
    const proof = await proveResponse(proofTexts, { response, expectedKeyId })
    await playSteps(stepsPlace, proofTexts, response, proof)
    verdict.replaceChildren(verdictElement(proof))
  }

  return async (response) => {
    verdict.replaceChildren()
    stepsPlace.replaceChildren()
    lines.textContent = signedLinesOf(response)
    const fields = response.headers instanceof Headers ? [...response.headers] : []
    headers.textContent = fields.map(([name, value]) => `${name}: ${value}`).join('\n')
    body.textContent =
      response.body.length === 0 ? texts.text('emptyBody') : readable(response.body)
    highlightJson(body)
    element.hidden = false
    try {
      await check(response)
    } catch {
      stepsPlace.replaceChildren(pageElement('p', texts.text('notChecked'), 'note note-warn'))
    }
  }
}
