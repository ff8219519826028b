import type { HttpResponse } from '@public-api/client-internal/http-response'
// The script of the early-access page: validates the input with the service's own rules, gets the challenge solved,
// sends the form and shows the result. The input is stored only in the form.
import { createTrustedKeys } from '@public-api/client-internal/trusted-keys'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { LIMITS } from '@public-api/contract/terms/limits'
import { request } from './api-request.ts'
import { createFormChallenge } from './form-challenge.ts'
import { formatDuration, formatNumber, partOf, runsOnce } from './page-element.ts'
import { readPageTexts, type RichText } from './page-texts.ts'
import { fieldOfCode, findFaults, readForm } from './registration-fields.ts'
import { createMistakeList, type Mistake } from './registration-mistakes.ts'
import { isRegistrationClosed, sendRegistration } from './registration-request.ts'

const SECONDS_IN_WORDS = 90
/** From this number of remaining characters on, the count is announced. */
const SAID_FROM = 50
/** Pause in typing before an announcement. */
const PAUSE_MS = 1000

const texts = readPageTexts('earlyAccess')
const form = partOf(document, '#registration', HTMLFormElement)
const send = partOf(document, '#send', HTMLButtonElement)
const progress = partOf(document, '#progress', HTMLElement)
const registered = partOf(document, '#registered', HTMLElement)
const duplicate = partOf(document, '#duplicate', HTMLElement)
const mistakes = createMistakeList(texts, form, partOf(document, '#mistakes', HTMLElement))
const challengeElement = form.querySelector<HTMLElement>('[data-provider]')
if (challengeElement === null) throw new Error('The form has no challenge')
const challenge = createFormChallenge(challengeElement)

const invitation = partOf(document, '#invitation', HTMLElement)
const heading = document.querySelector('h1')
const formTitle = heading?.textContent ?? ''

/** Shows the result of the form in the heading and the title of the page. Only the form has an introduction. */
function showTitle(title: string): void {
  if (heading !== null) heading.textContent = title
  invitation.hidden = title !== formTitle
  document.title = document.title.replace(/^.*?(?= · )/, title)
}

/** A wait as text: seconds if short, else minutes. */
function waitInWords(seconds: number): string {
  return seconds <= SECONDS_IN_WORDS
    ? formatDuration(seconds, 'second')
    : formatDuration(Math.ceil(seconds / 60), 'minute')
}

/** The mistake that an error code describes. */
function mistakeOf(code: string, email: string, retryAfterSeconds?: number): Mistake {
  const field = fieldOfCode(code)
  const keys: { readonly [code: string]: string } = {
    NO_RESPONSE: 'unanswered',
    RATE_LIMITED: retryAfterSeconds === undefined ? 'RATE_LIMITED_SOON' : 'RATE_LIMITED',
    REGISTRATION_UNAVAILABLE: 'REGISTRATION_UNAVAILABLE',
    ...(email.trim() === '' ? { INVALID_EMAIL: 'emailMissing' } : {}),
  }
  const key = keys[code] ?? (field === undefined ? undefined : code)
  if (key === undefined) return { field, message: texts.richText('mistakes.refused', { code }) }
  const most = field === 'interests' ? LIMITS.maxInterests : LIMITS.maxUseCaseCodePoints
  const values = { count: formatNumber(most), wait: waitInWords(retryAfterSeconds ?? 0) }
  return { field, message: [texts.text(`mistakes.${key}`, values)] }
}

/** Whether a request with this outcome may have used up the token. */
function mayBeSpent(code: string): boolean {
  if (code === 'REGISTRATION_UNAVAILABLE') return !challenge.isGivenBack
  // Limits and fields are checked before the challenge.
  const field = fieldOfCode(code)
  return code !== 'RATE_LIMITED' && (field === undefined || field === 'challenge')
}

/** The proof of a response by the keys that the service publishes, as text, or the code of the failed check. */
async function proofOf(response: HttpResponse): Promise<{ isGood: boolean; text: RichText }> {
  try {
    const expectations = () => ({ nowMs: Date.now() })
    const { keyId } = await createTrustedKeys(undefined, expectations, request).verify(response)
    return { isGood: true, text: texts.richText('result.proved', { key: keyId }) }
  } catch (error) {
    const code = error instanceof VerificationError ? error.code : 'NO_RESPONSE'
    return { isGood: false, text: texts.richText('result.disproved', { code }) }
  }
}

async function showTicket(ticket: string, response: HttpResponse): Promise<void> {
  const proof = partOf(document, '#proof', HTMLElement)
  partOf(document, '#ticket', HTMLElement).textContent = ticket
  form.reset()
  form.hidden = true
  registered.hidden = false
  showTitle(texts.text('result.title'))
  registered.focus()
  // A deployment without keys cannot prove anything, and every page says so.
  if (registered.dataset['keyId'] === undefined) return
  proof.replaceChildren(texts.text('result.proving'))
  const { isGood, text } = await proofOf(response)
  proof.className = `state state-${isGood ? 'good' : 'warn'}`
  proof.replaceChildren(...text)
}

function showDuplicate(): void {
  form.hidden = true
  duplicate.hidden = false
  showTitle(texts.text('duplicate.title'))
  duplicate.focus()
}

partOf(document, '#again', HTMLButtonElement).addEventListener('click', () => {
  duplicate.hidden = true
  form.hidden = false
  showTitle(formTitle)
  partOf(document, '#email', HTMLInputElement).select()
})

async function showIfClosed(): Promise<void> {
  partOf(document, '#closed', HTMLElement).hidden = !(await isRegistrationClosed())
}

async function sendForm(): Promise<void> {
  const typed = readForm(form)
  mistakes.clear()
  const found = findFaults(typed).map(({ code }) => mistakeOf(code, typed.email))
  if (found.length > 0) {
    mistakes.show(found)
    return
  }
  progress.textContent = texts.text('progress.checking')
  const solved = await challenge.solve()
  if ('failure' in solved) {
    mistakes.show([{ field: 'challenge', message: [texts.text(`mistakes.${solved.failure}`)] }])
    return
  }
  progress.textContent = texts.text('progress.sending')
  const outcome = await sendRegistration(form.dataset['path'] ?? '', typed, solved.token)
  if (outcome.ticket !== undefined) {
    challenge.renew()
    void showTicket(outcome.ticket, outcome.response)
    return
  }
  const { code, retryAfterSeconds } = outcome
  if (mayBeSpent(code)) challenge.renew()
  if (code === 'DUPLICATE') showDuplicate()
  else mistakes.show([mistakeOf(code, typed.email, retryAfterSeconds)])
  // The list may have closed since the page was loaded.
  if (code === 'REGISTRATION_UNAVAILABLE') void showIfClosed()
}

// Screen readers do not announce the widget's label change, so announce progress here.
challenge.onState?.((state) => {
  if (send.getAttribute('aria-disabled') === 'true') return
  const keys: { readonly [state: string]: string } = {
    verifying: 'progress.checking',
    verified: 'progress.solved',
  }
  const key = keys[state]
  progress.textContent = key === undefined ? '' : texts.text(key)
  if (state !== 'error') return
  mistakes.mark({ field: 'challenge', message: [texts.text('mistakes.challengeBroken')] })
})

const submit = runsOnce(send, () => sendForm().finally(() => (progress.textContent = '')))
form.addEventListener('submit', (event) => {
  event.preventDefault()
  void submit()
})

/** Counts the remaining characters as the service does: in code points. */
function countCharacters(): void {
  const field = partOf(document, '#useCase', HTMLTextAreaElement)
  const shown = partOf(document, '#useCase-count', HTMLElement)
  const status = partOf(document, '#useCase-status', HTMLElement)
  let pause: ReturnType<typeof setTimeout> | undefined

  function update(): void {
    const left = LIMITS.maxUseCaseCodePoints - Array.from(field.value).length
    const text = left < 0 ? texts.count('count.over', -left) : texts.count('count.left', left)
    shown.textContent = text
    shown.classList.toggle('over', left < 0)
    clearTimeout(pause)
    pause = setTimeout(() => {
      status.textContent = left <= SAID_FROM ? text : ''
    }, PAUSE_MS)
  }

  field.addEventListener('input', update)
  // Browsers restore the input when a page is reloaded.
  addEventListener('pageshow', update)
  update()
}

countCharacters()
send.disabled = false
void showIfClosed()
