import { html, type Html, type HtmlValue } from './html.ts'

/** A section of a page with its heading, whose id is the fragment of links to it. */
export function pageSection(id: string, title: string, content: HtmlValue): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    ${content}
  </section> `
}
