// Audits the history in this browser with the published client library. The history page loads it when it is needed.
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { failureElement, faultElement, logFaultElement } from './audit-outcome.ts'
import { PageLogError, auditInPage } from './audit-run.ts'
import { createChainDiagram } from './chain-diagram.ts'
import { formatPageMoment, pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { openSavedHead, type PageHead } from './saved-head.ts'

const KEY_ID = /^[\w-]{43}$/

/** Number of shown hash characters; the footer of each page shows as many. */
const SHOWN_HASH_CHARACTERS = 12

const texts = readPageTexts('history')
const form = partOf(document, '#audit-form', HTMLFormElement)
const pinInput = partOf(document, '#pin', HTMLInputElement)
const pinError = partOf(document, '#pin-error', HTMLElement)
const everyVersionInput = partOf(document, '#every-version', HTMLInputElement)
const startButton = partOf(document, '#audit-start', HTMLButtonElement)
const stopButton = partOf(document, '#audit-stop', HTMLButtonElement)
const forgetButton = partOf(document, '#audit-forget', HTMLButtonElement)
const savedPlace = partOf(document, '#kept-head', HTMLElement)
const stepsPlace = partOf(document, '#audit-steps', HTMLElement)
const resultPlace = partOf(document, '#audit-result', HTMLElement)

const policyInput = document.querySelector<HTMLTextAreaElement>('#log-policy')
const logScript = form.dataset['log']
const logTexts = logScript === undefined ? undefined : readPageTexts('log')

const savedHead = openSavedHead(form.dataset['kept'] ?? '')
const proofTexts = readPageTexts('proof')
const marks = createChainDiagram(texts)
let running: AbortController | undefined

/** Shows the saved head. Returns undefined if nothing is saved; rejects if it cannot be read. */
async function readSaved(): Promise<PageHead | undefined> {
  forgetButton.hidden = true
  let kept: PageHead | undefined
  try {
    kept = await savedHead?.read()
  } catch (error) {
    savedPlace.textContent = texts.text('keptUnreadable')
    forgetButton.hidden = false
    throw error
  }
  if (kept === undefined) {
    savedPlace.textContent = texts.text(savedHead === undefined ? 'noStorage' : 'nothingKept')
    return undefined
  }
  const { snapshotId: version, hash } = kept.head
  const moment = pageElement('time', formatPageMoment(kept.signedAtMs))
  moment.dateTime = new Date(kept.signedAtMs).toISOString()
  const shownHash = hash.slice(0, SHOWN_HASH_CHARACTERS)
  savedPlace.replaceChildren(...texts.richText('kept', { version, hash: shownHash, moment }))
  forgetButton.hidden = false
  return kept
}

function clearResult(): void {
  resultPlace.replaceChildren()
  marks.clear()
  stepsPlace.replaceChildren()
}

/** The pinned key ID; undefined if the field is empty, null if the input is not a key ID. */
function readPin(): string | undefined | null {
  const pin = pinInput.value.trim()
  const isWrong = pin !== '' && !KEY_ID.test(pin)
  pinError.textContent = isWrong ? texts.text('pinMistake') : ''
  pinError.hidden = !isWrong
  if (!isWrong) {
    pinInput.removeAttribute('aria-invalid')
    return pin === '' ? undefined : pin
  }
  // A result below the mistake would look like that of this input.
  clearResult()
  pinInput.setAttribute('aria-invalid', 'true')
  pinInput.focus()
  return null
}

function showRunning(isRunning: boolean): void {
  stopButton.hidden = !isRunning
  startButton.disabled = isRunning
  forgetButton.disabled = isRunning
  pinInput.readOnly = isRunning
  if (policyInput !== null) policyInput.readOnly = isRunning
  everyVersionInput.disabled = isRunning
  ;(isRunning ? stopButton : startButton).focus()
}

async function audit(pinnedKeyId: string | undefined): Promise<void> {
  const controller = new AbortController()
  running = controller
  showRunning(true)
  clearResult()
  try {
    const kept = await readSaved().catch(() => null)
    if (kept === null) {
      resultPlace.replaceChildren(pageElement('p', texts.text('keptUnreadable'), 'note note-warn'))
      return
    }
    const { head } = await auditInPage({
      texts,
      proofTexts,
      stepsPlace,
      marks,
      savedHead,
      kept,
      pinnedKeyId,
      everyVersion: everyVersionInput.checked,
      log: logTexts && {
        texts: logTexts,
        script: logScript ?? '',
        policy: policyInput?.value.trim() ?? '',
      },
      signal: controller.signal,
    })
    const words = texts.text('consistent', { version: head.snapshotId })
    resultPlace.replaceChildren(
      pageElement('p', words, 'state state-good'),
      pageElement('p', [pageElement('code', head.hash)]),
      ...(kept === undefined ? [pageElement('p', texts.text('firstAudit'))] : []),
      ...(pinnedKeyId === undefined ? [pageElement('p', texts.text('unpinned'))] : []),
    )
    await readSaved()
  } catch (error) {
    if (controller.signal.aborted) {
      resultPlace.replaceChildren(pageElement('p', texts.text('stopped')))
    } else if (error instanceof HistoryError) {
      marks.break(error.finding.at)
      resultPlace.replaceChildren(faultElement(texts, error))
    } else if (error instanceof PageLogError && logTexts !== undefined) {
      resultPlace.replaceChildren(logFaultElement(texts, logTexts, error.fault))
      // The history passed, and its head is saved.
      await readSaved()
    } else resultPlace.replaceChildren(failureElement(texts, proofTexts, error))
  } finally {
    running = undefined
    showRunning(false)
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  const pin = readPin()
  if (pin !== null && running === undefined) void audit(pin)
})
stopButton.addEventListener('click', () => running?.abort())
forgetButton.addEventListener('click', () => {
  savedHead?.forget()
  forgetButton.hidden = true
  savedPlace.textContent = texts.text('forgotten')
  startButton.focus()
})
readSaved().catch(() => {
  // The page shows the reason; an audit reports it at the saved head.
})
