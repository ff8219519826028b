// The overview: verifies a real response in the visitor's browser.
import { readHeaders } from '@public-api/client-internal/header-fields'
import { CLIENT_HEADERS } from '@public-api/contract/http/client-headers'
import { mountLiveCheck, showUnchecked } from './live-verification.ts'
import { pageElement, partOf } from './page-element.ts'
import { signedLinesOf } from './proof-check.ts'

function start(stepsPlace: HTMLElement): void {
  const verdict = partOf(document, '#live-verdict', HTMLElement)
  const signature = partOf(document, '#live-signature', HTMLElement)
  const details = partOf(document, '#live-details', HTMLDetailsElement)
  const lines = [...document.querySelectorAll('.signed-lines code')]
  const run = mountLiveCheck({
    button: partOf(document, '#live-again', HTMLButtonElement),
    stepsPlace,
    onResponse(response) {
      for (const [index, line] of signedLinesOf(response).split('\n').entries()) {
        lines[index]?.replaceChildren(line)
      }
      signature.textContent = readHeaders(response.headers)(CLIENT_HEADERS.signature) ?? '–'
    },
    showResult(nodes, isVerdict) {
      if (!isVerdict) showUnchecked(stepsPlace)
      // A failed step says what was expected and found.
      if (stepsPlace.querySelector('[data-state="failed"]') !== null) details.open = true
      const children = isVerdict ? nodes : [pageElement('span', nodes, 'state state-warn')]
      verdict.replaceChildren(...children)
    },
  })
  void run()
}

// A deployment that does not sign has no panel.
const panel = document.getElementById('live-steps')
if (panel !== null) start(panel)
