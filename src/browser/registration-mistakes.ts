import { pageElement } from './page-element.ts'
import type { PageTexts, RichText } from './page-texts.ts'
import type { FormField } from './registration-fields.ts'

/** A mistake that prevents sending the form, in the page's language. */
export interface Mistake {
  /** The field it belongs to; undefined if it concerns the whole form. */
  readonly field: FormField | undefined
  readonly message: RichText
}

/** The controls of a field; links lead to the first. */
function controlsOf(form: HTMLFormElement, field: FormField): readonly HTMLElement[] {
  const inside = field === 'challenge' ? '#challenge :is(input, iframe)' : `[name="${field}"]`
  return [...form.querySelectorAll<HTMLElement>(inside)]
}

function focusField(form: HTMLFormElement, field: FormField): void {
  const box = document.getElementById(`${field}-error`)?.parentElement
  // The link's target starts at the label.
  box?.scrollIntoView()
  const [control = box] = controlsOf(form, field)
  control?.focus({ preventScroll: true })
}

/** Copies the nodes, because a node can have only one place in a document. */
const copyOf = (text: RichText): RichText =>
  text.map((piece) => (typeof piece === 'string' ? piece : piece.cloneNode(true)))

/** Shows mistakes in the summary above the form and next to its fields. */
export function createMistakeList(texts: PageTexts, form: HTMLFormElement, summary: HTMLElement) {
  const list = summary.querySelector('ul')
  const { title } = document

  function clear(): void {
    document.title = title
    summary.hidden = true
    list?.replaceChildren()
    for (const place of form.querySelectorAll('.field-error')) place.replaceChildren()
    for (const box of form.querySelectorAll('.has-error')) box.classList.remove('has-error')
    for (const control of form.querySelectorAll('[aria-invalid]')) {
      control.removeAttribute('aria-invalid')
    }
  }

  /** Shows a mistake next to its field, if it has one, without moving the focus. */
  function mark({ field, message }: Mistake): void {
    if (field === undefined) return
    const place = document.getElementById(`${field}-error`)
    const prefix = pageElement('span', `${texts.text('mistakes.prefix')} `, 'hidden-text')
    place?.replaceChildren(prefix, ...copyOf(message))
    place?.parentElement?.classList.add('has-error')
    for (const control of controlsOf(form, field)) {
      if (!(control instanceof HTMLIFrameElement)) control.setAttribute('aria-invalid', 'true')
    }
  }

  function itemOf({ field, message }: Mistake): HTMLLIElement {
    if (field === undefined) return pageElement('li', message)
    const control = controlsOf(form, field)[0]
    const link = pageElement('a', message)
    link.href = `#${control?.id || field}`
    // The URL does not change, and the label scrolls into view with its control.
    link.addEventListener('click', (event) => {
      event.preventDefault()
      focusField(form, field)
    })
    return pageElement('li', [link])
  }

  return {
    clear,
    mark,
    /** Replaces the shown mistakes and moves the focus to their summary. */
    show(mistakes: readonly Mistake[]): void {
      clear()
      for (const mistake of mistakes) mark(mistake)
      list?.replaceChildren(...mistakes.map(itemOf))
      summary.hidden = false
      document.title = texts.text('mistakes.pageTitle', { title })
      summary.focus()
    },
  }
}
