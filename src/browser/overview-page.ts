// The overview: verifies a real response in the visitor's browser.
import { readHeaders } from '../../packages/client/src/header-fields.ts'
import { CLIENT_HEADERS } from '../contract/client-headers.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { isNoResponse, verifyLive } from './live-verification.ts'
import { partOf, textElement } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { signedLinesOf } from './proof-check.ts'

const panel = document.getElementById('live-steps')

function start(stepsPlace: HTMLElement): void {
  const texts = readPageTexts('verify')
  const proofTexts = readPageTexts('proof')
  const verdict = partOf(document, '#live-verdict', HTMLElement)
  const again = partOf(document, '#live-again', HTMLButtonElement)
  const signature = partOf(document, '#live-signature', HTMLElement)
  const lines = [...document.querySelectorAll('.signed-lines code')]

  async function run(): Promise<void> {
    again.setAttribute('aria-disabled', 'true')
    try {
      const result = await verifyLive({
        target: READ_PATHS.status,
        proofTexts,
        stepsPlace,
        onResponse(response) {
          for (const [index, line] of signedLinesOf(response).split('\n').entries()) {
            const place = lines[index]
            if (place !== undefined) place.textContent = line
          }
          signature.textContent = readHeaders(response.headers)(CLIENT_HEADERS.signature) ?? '–'
        },
      })
      verdict.replaceChildren(...(result?.nodes ?? [texts.text('unsupported')]))
    } catch (error) {
      const key = isNoResponse(error) ? 'connection' : 'failed'
      verdict.replaceChildren(textElement('span', texts.text(key), 'state state-warn'))
    } finally {
      again.removeAttribute('aria-disabled')
    }
  }

  again.addEventListener('click', () => {
    if (again.getAttribute('aria-disabled') !== 'true') void run()
  })
  void run()
}

// A deployment that does not sign has no panel.
if (panel !== null) start(panel)
