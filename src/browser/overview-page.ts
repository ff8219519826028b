// The overview: verifies a real response in the visitor's browser, and compares it with the state that the page shows.
import { readHeaders } from '@public-api/client-internal/header-fields'
import { CLIENT_HEADERS } from '@public-api/contract/terms/client-headers'
import { mountLiveCheck, showUnchecked, type ResourceCheck } from './live-verification.ts'
import { pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { signedLinesOf } from './proof-check.ts'
import { mountStateCheck } from './state-check.ts'

function start(stepsPlace: HTMLElement): void {
  const verdict = partOf(document, '#live-verdict', HTMLElement)
  const signature = partOf(document, '#live-signature', HTMLElement)
  const details = partOf(document, '#live-details', HTMLDetailsElement)
  const proofTexts = readPageTexts('proof')
  const lines = [...document.querySelectorAll('.signed-lines code')]
  let checked: ResourceCheck | undefined
  const runCheck = mountLiveCheck({
    button: partOf(document, '#live-again', HTMLButtonElement),
    stepsPlace,
    onCheck(check) {
      checked = check
      headline?.show(check)
      if (check.kind === 'silent') return
      for (const [index, line] of signedLinesOf(check.response).split('\n').entries()) {
        lines[index]?.replaceChildren(line)
      }
      signature.textContent = readHeaders(check.response.headers)(CLIENT_HEADERS.signature) ?? '–'
    },
    showResult(nodes, isVerdict) {
      if (!isVerdict) showUnchecked(stepsPlace)
      // A failed step says what was expected and found.
      if (stepsPlace.querySelector('[data-state="failed"]') !== null) details.open = true
      // The headline says why the service could not be asked.
      const isAway = checked?.kind === 'silent' || checked?.kind === 'unavailable'
      const shown = isAway && headline !== undefined ? proofTexts.text('away') : nodes
      verdict.replaceChildren(
        ...(isVerdict && !isAway ? nodes : [pageElement('span', shown, 'state state-warn')]),
      )
    },
  })
  const headline =
    document.getElementById('state-now') === null
      ? undefined
      : mountStateCheck(async () => {
          await runCheck()
          return checked
        })
  void runCheck()
}

// A deployment that does not sign has no panel.
const panel = document.getElementById('live-steps')
if (panel !== null) start(panel)
