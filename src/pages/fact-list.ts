import { html, type Html, type HtmlValue } from './html.ts'

/** A term and its description. Omitted if the description is undefined or false. */
export type Fact = readonly [term: HtmlValue, description: HtmlValue]

/** Terms with their descriptions in two columns. */
export function factList(facts: readonly Fact[]): Html {
  return html`<dl class="facts">
    ${facts.map(
      ([term, description]) =>
        description !== undefined &&
        description !== false &&
        html`<dt>${term}</dt>
          <dd>${description}</dd>`,
    )}
  </dl>`
}
