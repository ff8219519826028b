import { html, type Html } from './html.ts'
import type { Texts } from './texts.ts'

/** A filter for the items of a selector. Without scripts it is hidden, and the whole list is shown. */
export function listFilter({ site }: Texts, id: string, label: string, items: string): Html {
  const { some, none } = site.filter
  return html`<div class="filter" data-items="${items}" data-some="${some}" data-none="${none}">
    <p class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" type="search" autocomplete="off" spellcheck="false" />
    </p>
    <p class="muted small" role="status"></p>
  </div>`
}
