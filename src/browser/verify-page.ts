// The page on verifying: fetches the status and checks it, step by step, with the program that the package contains.
import { ConnectionError, createConnection } from '../../packages/client/src/connection.ts'
import { stepsOfStatus } from '../../packages/client/src/verification-step.ts'
import { READ_PATHS } from '../contract/read-paths.ts'
import { partOf, textElement } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { checkProof, cryptoSupport, signedLinesOf } from './proof-check.ts'
import { createStepList, stateClass } from './step-list.ts'

/** Where the lines of the table that only an answer knows stand, by their place in the signed text. */
const FILLED_LINES = { 3: '#line-status', 4: '#line-signedat', 5: '#line-digest' } as const

const texts = readPageTexts('verify')
const proofTexts = readPageTexts('proof')
const startButton = partOf(document, '#check-start', HTMLButtonElement)
const stepsPlace = partOf(document, '#check-steps', HTMLElement)
const resultPlace = partOf(document, '#check-result', HTMLElement)
const connection = createConnection(location.origin, (url, init) => fetch(url, init))

/** How long an answer may take. */
const TIMEOUT_MS = 20_000

let isChecking = false

const ask = (target: string) => connection.get(target, {}, AbortSignal.timeout(TIMEOUT_MS))

function showLines(text: string): void {
  const lines = text.split('\n')
  for (const [index, place] of Object.entries(FILLED_LINES)) {
    const line = textElement('code', lines[Number(index)] ?? '')
    partOf(document, place, HTMLElement).replaceChildren(line)
  }
}

async function check(): Promise<void> {
  if ((await cryptoSupport()) !== 'ready') {
    resultPlace.replaceChildren(textElement('p', texts.text('unsupported'), 'note note-warn'))
    return
  }
  const answer = await ask(READ_PATHS.status)
  const keyDocument = await ask(READ_PATHS.signingKey)
  showLines(signedLinesOf(answer))
  const heads = stepsOfStatus(answer.status).map((name) => ({
    name,
    label: proofTexts.text(`steps.${name}.label`),
  }))
  const list = createStepList(proofTexts, heads)
  stepsPlace.replaceChildren(list.element)
  const question = { answer, keyDocument, expectedKeyId: undefined, nowMs: Date.now() }
  const { isGood, reports, verdict } = await checkProof(question, proofTexts)
  await list.play(reports)
  const state = isGood ? 'passed' : 'failed'
  const word = textElement('strong', proofTexts.text(`states.${state}`), stateClass(state))
  const result = document.createElement('p')
  result.append(word, ' ', ...verdict)
  resultPlace.replaceChildren(result)
}

/** Not `disabled`, which would take the focus away from whoever pressed the button. */
function setChecking(isOn: boolean): void {
  isChecking = isOn
  startButton.setAttribute('aria-disabled', String(isOn))
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

async function run(): Promise<void> {
  setChecking(true)
  stepsPlace.replaceChildren()
  resultPlace.replaceChildren()
  try {
    await check()
  } catch (error) {
    const isUnanswered = error instanceof ConnectionError || isTimeout(error)
    const key = isUnanswered ? 'connection' : 'failed'
    resultPlace.replaceChildren(textElement('p', texts.text(key), 'note note-warn'))
  } finally {
    setChecking(false)
  }
}

startButton.addEventListener('click', () => {
  if (!isChecking) void run()
})
