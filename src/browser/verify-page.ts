// The page on verifying: fetches the status and verifies it step by step with the client library.
import { READ_PATHS } from '../contract/read-paths.ts'
import { isNoResponse, verifyLive } from './live-verification.ts'
import { pageElement, partOf, textElement } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { signedLinesOf } from './proof-check.ts'

/** Table cells for the lines that only a response has, by line. */
const FILLED_LINES = { 3: '#line-status', 4: '#line-signedat', 5: '#line-digest' } as const

const texts = readPageTexts('verify')
const proofTexts = readPageTexts('proof')
const startButton = partOf(document, '#check-start', HTMLButtonElement)
const stepsPlace = partOf(document, '#check-steps', HTMLElement)
const resultPlace = partOf(document, '#check-result', HTMLElement)

let isChecking = false

function showLines(text: string): void {
  const lines = text.split('\n')
  for (const [index, place] of Object.entries(FILLED_LINES)) {
    const line = textElement('code', lines[Number(index)] ?? '')
    partOf(document, place, HTMLElement).replaceChildren(line)
  }
}

/** Not `disabled`, which would remove the focus from the button. */
function setChecking(isOn: boolean): void {
  isChecking = isOn
  startButton.setAttribute('aria-disabled', String(isOn))
}

async function run(): Promise<void> {
  setChecking(true)
  stepsPlace.replaceChildren()
  resultPlace.replaceChildren()
  try {
    const verdict = await verifyLive({
      target: READ_PATHS.status,
      proofTexts,
      stepsPlace,
      onResponse: (response) => showLines(signedLinesOf(response)),
    })
    resultPlace.replaceChildren(
      verdict === undefined
        ? textElement('p', texts.text('unsupported'), 'note note-warn')
        : pageElement('p', { children: verdict.nodes }),
    )
  } catch (error) {
    const key = isNoResponse(error) ? 'connection' : 'failed'
    resultPlace.replaceChildren(textElement('p', texts.text(key), 'note note-warn'))
  } finally {
    setChecking(false)
  }
}

startButton.addEventListener('click', () => {
  if (!isChecking) void run()
})
