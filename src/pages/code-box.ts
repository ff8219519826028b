import { html, type Html } from './html.ts'
import { plainText } from './rich-text.ts'
import type { Texts } from './texts.ts'

/** Source and label of a copy button. */
export interface CopyOptions {
  /** Id of the element whose text is copied. */
  readonly from: string
  /** Name of the copied text in the page's language, for the button's label and the announcement. */
  readonly what: string
}

/** A button that copies the text of an element. The script of all pages implements it; without scripts it is hidden. */
export function copyButton(texts: Texts, { from, what }: CopyOptions): Html {
  const { copy, copied } = texts.site
  return html`<button
    type="button"
    class="copy"
    data-copy="${from}"
    data-copied="${plainText(copied, { what })}"
  >
    ${copy}<span class="hidden-text"> ${what}</span>
  </button>`
}

/** A box with code. */
export interface CodeBoxOptions {
  /** Id of the code, unique on its page. */
  readonly id: string
  /** Name of the code in the page's language: its label, and part of the copy button's label. */
  readonly label: string
  readonly code: string
}

/** Code with its label and a copy button. Long lines scroll inside the box. */
export function codeBox(texts: Texts, { id, label, code }: CodeBoxOptions): Html {
  return html`<div class="code">
    <p class="code-head">
      <span class="muted small">${label}</span>
      ${copyButton(texts, { from: id, what: label })}
    </p>
    <pre tabindex="0"><code id="${id}">${code}</code></pre>
  </div>`
}
