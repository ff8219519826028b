// The history page: finds a version, and loads the audit when it starts or when this browser has a saved head to show.
import { pageElement, partOf } from './page-element.ts'
import { readPageTexts } from './page-texts.ts'
import { mountVersionSearch } from './version-search.ts'

mountVersionSearch()

const texts = readPageTexts('history')
const form = partOf(document, '#audit-form', HTMLFormElement)
const resultPlace = partOf(document, '#audit-result', HTMLElement)

/** Loads the script of the audit, which handles the form from then on. */
async function loadAudit(): Promise<void> {
  await import(form.dataset['audit'] ?? '')
  form.removeEventListener('submit', startLater)
}

async function start(): Promise<void> {
  try {
    await loadAudit()
  } catch {
    const message = pageElement('p', texts.text('failures.connection'), 'note note-warn')
    resultPlace.replaceChildren(message)
    return
  }
  form.requestSubmit()
}

function startLater(event: SubmitEvent): void {
  event.preventDefault()
  void start()
}

/** Whether a head is saved; undefined if the browser provides no storage. */
function hasSavedHead(): boolean | undefined {
  try {
    return localStorage.getItem(form.dataset['kept'] ?? '') !== null
  } catch {
    return undefined
  }
}

form.addEventListener('submit', startLater)
const isSaved = hasSavedHead()
if (isSaved === true) {
  loadAudit().catch(() => {
    // The start of an audit tries again and reports it.
  })
} else {
  partOf(document, '#kept-head', HTMLElement).textContent = texts.text(
    isSaved === undefined ? 'noStorage' : 'nothingKept',
  )
}
