// The page on verifying: fetches the status and verifies it step by step with the client library.
import { mountLiveCheck } from './live-verification.ts'
import { pageElement, partOf } from './page-element.ts'
import { signedLinesOf } from './proof-check.ts'

/** Table cells for the lines that only a response has, by line. */
const FILLED_LINES = { 3: '#line-status', 4: '#line-signedat', 5: '#line-digest' } as const

const resultPlace = partOf(document, '#check-result', HTMLElement)

const stepsPlace = partOf(document, '#check-steps', HTMLElement)

mountLiveCheck({
  button: partOf(document, '#check-start', HTMLButtonElement),
  stepsPlace,
  onStart() {
    stepsPlace.replaceChildren()
    resultPlace.replaceChildren()
  },
  onResponse(response) {
    const lines = signedLinesOf(response).split('\n')
    for (const [index, place] of Object.entries(FILLED_LINES)) {
      const line = pageElement('code', lines[Number(index)] ?? '')
      partOf(document, place, HTMLElement).replaceChildren(line)
    }
  },
  showResult(nodes, isVerdict) {
    resultPlace.replaceChildren(pageElement('p', nodes, isVerdict ? '' : 'note note-warn'))
  },
})
