import { html, type Html } from './html.ts'
import { plainText } from './rich-text.ts'
import type { Texts } from './texts.ts'

/** What a copy button copies and how it says so. */
export interface CopyOptions {
  /** Id of the element whose text is copied. */
  readonly from: string
  /** What that is, in the page's language: it completes the button's name and what is said afterwards. */
  readonly what: string
}

/**
 * A button that copies the text of an element and says what it copied. The script of all pages serves it; without
 * scripts it is not shown.
 */
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

/** Code in a box of its own. */
export interface CodeBoxOptions {
  /** Id of the code, unique on its page. */
  readonly id: string
  /** What the code is, in the page's language: shown above it, and the name of its copy button. */
  readonly label: string
  readonly code: string
}

/** Code with its label and a copy button. A line that is too long scrolls inside the box. */
export function codeBox(texts: Texts, { id, label, code }: CodeBoxOptions): Html {
  return html`<div class="code">
    <p class="code-head">
      <span class="code-label">${label}</span>
      ${copyButton(texts, { from: id, what: label })}
    </p>
    <pre tabindex="0"><code id="${id}">${code}</code></pre>
  </div>`
}
