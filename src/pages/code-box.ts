import { html, type Html } from './html.ts'
import { plainText } from './rich-text.ts'
import type { Texts } from './texts.ts'

/**
 * A button that copies the text of the element whose id is `from`, labeled with `what` it copies. The script of all pages
 * implements it; without scripts it is hidden.
 */
export function copyButton(texts: Texts, from: string, what: string): Html {
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

/** Code with its label and a copy button. Long lines scroll inside the box. */
export function codeBox(texts: Texts, id: string, label: string, code: string): Html {
  return html`<div class="code">
    <p class="code-head">
      <span class="muted small">${label}</span>
      ${copyButton(texts, id, label)}
    </p>
    <pre tabindex="0"><code id="${id}">${code}</code></pre>
  </div>`
}
