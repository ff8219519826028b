import { html, type Html } from './html.ts'
import type { Texts } from './texts.ts'

/** A filter for the items of a list. */
export interface ListFilterOptions {
  /** Id of the input, unique on its page. */
  readonly id: string
  readonly label: string
  /** Selector of the items on the same page. */
  readonly items: string
}

/** A filter that the script of all pages implements. Without scripts it is hidden, and the whole list is shown. */
export function listFilter({ site }: Texts, { id, label, items }: ListFilterOptions): Html {
  const { some, none } = site.filter
  return html`<div class="filter" data-items="${items}" data-some="${some}" data-none="${none}">
    <p class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" type="search" autocomplete="off" spellcheck="false" />
    </p>
    <p class="muted small" role="status"></p>
  </div>`
}
