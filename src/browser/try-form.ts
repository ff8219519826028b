import { ConnectionError } from '@public-api/client-internal/connection'
import type { HttpResponse } from '@public-api/client-internal/http-response'
import { CLIENT_HEADERS } from '@public-api/contract/terms/client-headers'
import { request } from './api-request.ts'
import { partOf, runsOnce } from './page-element.ts'
import type { PageTexts } from './page-texts.ts'
import { createResponseView } from './response-view.ts'

/** Characters that are valid in a header field. */
const KEY_CHARACTERS = /^[\x21-\x7e]*$/

/** Gives a field's control its own id, and connects its label and hint. The browser must not remember the input. */
function identify(field: HTMLElement, id: string): HTMLInputElement {
  const input = partOf(field, 'input', HTMLInputElement)
  input.id = id
  input.autocomplete = 'off'
  partOf(field, 'label', HTMLLabelElement).htmlFor = id
  const hint = field.querySelector('.hint')
  if (hint !== null) {
    hint.id = `${id}-hint`
    input.setAttribute('aria-describedby', hint.id)
  }
  return input
}

/**
 * A path template with the value of its parameter, percent-encoded by segment. Throws a URIError for a lone
 * surrogate.
 */
function fillPath(path: string, value: string): string {
  const gap = path.indexOf('/{')
  if (value === '') return path.slice(0, gap)
  const parts = value.split('/').map((each) => `/${encodeURIComponent(each)}`)
  return path.slice(0, gap) + parts.join('')
}

/**
 * Adds a form for the endpoint of an entry: the entry's id is the endpoint's name, the code of its line `.call` is
 * the path, `data-parameter` names the path parameter, `data-query` the query parameters, and `data-needs-key` says that a key
 * is required. The input is used only for the request. The template has the form and the place for the response, and
 * `data-proof` names a page with the texts of a proof. `keyId` is the expected key.
 */
export function mountTryForm(
  place: HTMLElement,
  entry: HTMLElement,
  template: HTMLTemplateElement,
  texts: PageTexts,
  keyId: string | undefined,
): void {
  const { id, dataset } = entry
  const { parameter, example = '', mayBeEmpty, query, needsKey } = dataset
  const path = partOf(entry, '.call code', HTMLElement).textContent
  place.append(document.importNode(template.content, true))

  const form = partOf(place, 'form', HTMLFormElement)
  const button = partOf(form, 'button', HTMLButtonElement)
  const statusElement = partOf(place, '.try-status', HTMLElement)
  const keyInput = identify(partOf(form, '[data-part="key"]', HTMLElement), `${id}-key`)
  const keyPlace = partOf(form, '.try-key', HTMLDetailsElement)
  if (needsKey !== undefined) keyPlace.replaceWith(partOf(keyPlace, '.field', HTMLElement))
  const parameterField = partOf(form, '[data-part="parameter"]', HTMLElement)
  const name = (field: HTMLElement, named: string): void => {
    const label = partOf(field, 'label', HTMLElement)
    label.replaceChildren(...texts.richText('parameter', { name: named }))
  }
  const queryInputs = (query?.split(' ') ?? []).map((each) => {
    const field = parameterField.cloneNode(true) as HTMLElement
    name(field, each)
    parameterField.before(field)
    return [each, identify(field, `${id}-${each}`)] as const
  })
  const parameterInput = identify(parameterField, `${id}-parameter`)
  if (parameter === undefined) {
    parameterField.remove()
  } else {
    name(parameterField, parameter)
    parameterInput.value = example
  }
  const { proof = '' } = template.dataset
  const responseElement = partOf(place, '.try-response', HTMLElement)
  // The key that the page of the endpoint names, also if the form came from a page of another release.
  const named = responseElement.querySelector('.hint code')
  if (named !== null) named.textContent = keyId ?? ''
  const show = createResponseView(responseElement, texts, proof, keyId)

  /** The query with the parameters that were filled in. */
  function queryOfForm(): string {
    const filled = queryInputs
      .map(([each, input]) => [each, input.value.trim()])
      .filter(([, value]) => value !== '')
    return filled.length === 0 ? '' : `?${new URLSearchParams(filled).toString()}`
  }

  /** Shows why nothing was sent, or that no response arrived. The shown response belongs to an earlier request. */
  function showError(message: string, input?: HTMLInputElement): void {
    responseElement.hidden = true
    statusElement.textContent = message
    input?.setAttribute('aria-invalid', 'true')
    input?.focus()
  }

  const send = runsOnce(button, async () => {
    for (const input of [parameterInput, keyInput]) input.removeAttribute('aria-invalid')
    statusElement.textContent = texts.text('waiting')
    const [value, key] = [parameterInput.value.trim(), keyInput.value.trim()]
    if (parameter !== undefined && value === '' && mayBeEmpty === undefined) {
      showError(texts.text('missing', { name: parameter }), parameterInput)
      return
    }
    if (!KEY_CHARACTERS.test(key)) {
      keyPlace.open = true
      showError(texts.text('badKey'), keyInput)
      return
    }
    const startedMs = performance.now()
    let response: HttpResponse
    try {
      const filled = parameter === undefined ? path : fillPath(path, value)
      const headers = key === '' ? {} : { [CLIENT_HEADERS.authorization]: `Bearer ${key}` }
      response = await request(filled + queryOfForm(), headers)
    } catch (error) {
      // A TypeError: the browser would send another path, for example for `..`.
      const isBadPath = error instanceof URIError || error instanceof TypeError
      if (parameter !== undefined && isBadPath) {
        showError(texts.text('badPath', { value: parameterInput.value }), parameterInput)
        return
      }
      showError(texts.text('notReached'))
      // Anything else is a defect of this script.
      if (!(error instanceof ConnectionError)) throw error
      return
    }
    const { status } = response
    const elapsedMs = Math.round(performance.now() - startedMs)
    const milliseconds = document.createTextNode(String(elapsedMs))
    statusElement.replaceChildren(...texts.richText('answered', { status, milliseconds }))
    await show(response)
  })

  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send()
  })
}
