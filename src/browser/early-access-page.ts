// The script of the early-access page: validates the input with the service's own rules, gets the challenge solved,
// sends the form and shows the result. The input is stored only in the form.
import { LIMITS } from '../contract/limits.ts'
import { formatNumber, partOf } from './page-element.ts'
import { readPageTexts, type RichText } from './page-texts.ts'
import { createFormChallenge } from './registration-challenge.ts'
import { countCharacters } from './registration-counter.ts'
import { fieldOfCode, findFaults, readForm, type FieldFault } from './registration-fields.ts'
import { createProblemList, type Problem } from './registration-problems.ts'
import { verifyRegistration } from './verify-registration.ts'
import { isRegistrationClosed, sendRegistration, type Outcome } from './registration-request.ts'

const SECONDS_IN_WORDS = 90

const texts = readPageTexts('earlyAccess')
const form = partOf(document, '#registration', HTMLFormElement)
const send = partOf(document, '#send', HTMLButtonElement)
const progress = partOf(document, '#progress', HTMLElement)
const registered = partOf(document, '#registered', HTMLElement)
const duplicate = partOf(document, '#duplicate', HTMLElement)
const problems = createProblemList(texts, form, partOf(document, '#problems', HTMLElement))
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

let isBusy = false

/** A wait as text: seconds if short, else minutes. */
function waitInWords(seconds: number): string {
  const isShort = seconds <= SECONDS_IN_WORDS
  return formatNumber(isShort ? seconds : Math.ceil(seconds / 60), {
    style: 'unit',
    unit: isShort ? 'second' : 'minute',
    unitDisplay: 'long',
  })
}

function messageOfFault({ field, code }: FieldFault, email: string): RichText {
  if (field === 'email' && email.trim() === '') return [texts.text('problems.emailMissing')]
  const counts: { readonly [code: string]: number } = {
    INVALID_INTERESTS: LIMITS.maxInterests,
    INVALID_USE_CASE: LIMITS.maxUseCaseCodePoints,
  }
  const count = counts[code]
  const values = count === undefined ? {} : { count: formatNumber(count) }
  return [texts.text(`problems.${code}`, values)]
}

/** The problems in a response of the service. */
function problemOfRefusal(
  { code, retryAfterSeconds }: Outcome & { readonly kind: 'refused' },
  email: string,
): Problem {
  const known = code as FieldFault['code']
  const field = fieldOfCode(code)
  if (field !== undefined) {
    return { field, message: messageOfFault({ field, code: known }, email) }
  }
  if (code === 'RATE_LIMITED') {
    const message =
      retryAfterSeconds === undefined
        ? texts.text('problems.RATE_LIMITED_SOON')
        : texts.text('problems.RATE_LIMITED', { wait: waitInWords(retryAfterSeconds) })
    return { field, message: [message] }
  }
  if (code === 'REGISTRATION_UNAVAILABLE') {
    return { field, message: [texts.text('problems.REGISTRATION_UNAVAILABLE')] }
  }
  return { field, message: texts.richText('problems.refused', { code }) }
}

/** Whether the outcome may have used up the token. */
function mayBeSpent(outcome: Outcome): boolean {
  if (outcome.kind !== 'refused') return true
  const { code } = outcome
  if (code === 'REGISTRATION_UNAVAILABLE') return !challenge.isGivenBack
  // Limits and fields are checked before the challenge.
  const field = fieldOfCode(code)
  return code !== 'RATE_LIMITED' && (field === undefined || field === 'challenge')
}

async function showTicket({ ticket, response }: Outcome & { readonly kind: 'registered' }) {
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
  const proved = await verifyRegistration(response)
  const isProved = 'keyId' in proved
  proof.className = isProved ? 'state state-good' : 'state state-warn'
  proof.replaceChildren(
    ...(isProved
      ? texts.richText('result.proved', { key: proved.keyId })
      : texts.richText('result.disproved', { code: proved.fault })),
  )
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

function showOutcome(outcome: Outcome, email: string): void {
  if (outcome.kind === 'registered') {
    void showTicket(outcome)
  } else if (outcome.kind === 'no-response') {
    problems.show([{ field: undefined, message: [texts.text('problems.unanswered')] }])
  } else if (outcome.code === 'DUPLICATE') {
    showDuplicate()
  } else {
    problems.show([problemOfRefusal(outcome, email)])
  }
}

async function submit(): Promise<void> {
  const typed = readForm(form)
  problems.clear()
  const faults = findFaults(typed).map((fault) => ({
    field: fault.field,
    message: messageOfFault(fault, typed.email),
  }))
  if (faults.length > 0) {
    problems.show(faults)
    return
  }
  progress.textContent = texts.text('progress.checking')
  const solved = await challenge.solve()
  if ('problem' in solved) {
    problems.show([{ field: 'challenge', message: [texts.text(`problems.${solved.problem}`)] }])
    return
  }
  progress.textContent = texts.text('progress.sending')
  const outcome = await sendRegistration(form.dataset['path'] ?? '', typed, solved.token)
  if (mayBeSpent(outcome)) challenge.renew()
  showOutcome(outcome, typed.email)
}

// Screen readers do not announce the widget's label change, so announce progress here.
challenge.onProgress?.((state) => {
  if (isBusy) return
  const words = { working: 'progress.checking', solved: 'progress.solved' }
  progress.textContent = state === 'failed' ? '' : texts.text(words[state])
  if (state !== 'failed') return
  problems.mark({ field: 'challenge', message: [texts.text('problems.challengeBroken')] })
})

form.addEventListener('submit', (event) => {
  event.preventDefault()
  if (isBusy) return
  isBusy = true
  send.setAttribute('aria-disabled', 'true')
  void submit().finally(() => {
    isBusy = false
    send.removeAttribute('aria-disabled')
    progress.textContent = ''
  })
})

countCharacters(texts)
send.disabled = false
void isRegistrationClosed().then((isClosed) => {
  partOf(document, '#closed', HTMLElement).hidden = !isClosed
})
