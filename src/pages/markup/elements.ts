import type { Texts } from '../texts/texts.ts'
import { code, html, Html, type HtmlValue, showHidden } from './html.ts'

// The building blocks of the pages' markup.

export function link(path: string, content: HtmlValue): Html {
  return html`<a href="${path}">${content}</a>`
}

/** A link of a navigation. `current` marks the open page ("page") or the page that contains it ("true"). */
export function pageLink(path: string, title: string, current: 'page' | 'true' | false): Html {
  const mark = current && html` aria-current="${current}"`
  return html`<a href="${path}" ${mark}>${title}</a>`
}

export function codeLink(path: string): Html {
  return link(path, code(path))
}

export function bulletList(items: readonly HtmlValue[]): Html {
  return html`<ul>
    ${items.map((item) => html`<li>${item}</li> `)}
  </ul>`
}

/** The text of a heading as a link to its place, whose id is in every language the same. */
export function anchor(id: string, text: HtmlValue): Html {
  return html`<a class="anchor" href="#${id}">${text}</a>`
}

/** A section of a page with its heading, whose id is the fragment of links to it. */
export function pageSection(id: string, title: string, content: HtmlValue): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${anchor(id, title)}</h2>
    ${content}
  </section> `
}

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

export interface Column<Row> {
  readonly title: string
  /** The content of a cell. If undefined, the cell is empty, on narrow screens without its label. */
  readonly cell: (row: Row) => HtmlValue
  /** Whether the cell is the header of its row. */
  readonly isHeader?: true
}

/** A table. On narrow screens its rows are labelled lines. Without rows, `none` is shown instead if it is given. */
export function dataTable<Row>(
  rows: readonly Row[],
  options: {
    readonly columns: readonly Column<Row>[]
    readonly rowId?: (row: Row) => string
    readonly caption?: string
    readonly className?: string
    readonly none?: string
  },
): Html {
  const { columns, rowId, caption, className, none } = options
  if (rows.length === 0 && none !== undefined) return html`<p class="muted">${none}</p>`
  const cellHtml = ({ title, cell, isHeader }: Column<Row>, row: Row): Html => {
    const content = cell(row)
    if (isHeader) return html`<th scope="row">${content}</th>`
    return content === undefined ? html`<td></td>` : html`<td data-label="${title}">${content}</td>`
  }
  return html`<table${className !== undefined && html` class="${className}"`}>
    ${
      caption !== undefined &&
      html`<caption>
        ${caption}
      </caption>`
    }
    <thead>
      <tr>${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr${rowId && html` id="${rowId(row)}"`}>
            ${columns.map((column) => cellHtml(column, row))}
          </tr>`,
      )}
    </tbody>
  </table>`
}

/**
 * A button that copies the text of the element whose id is `from`, labeled with `what` it copies. The script of all pages
 * implements it and shows the longer word when it is done; without scripts the button is hidden.
 */
export function copyButton({ site }: Texts, from: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${from}">
    <span data-widths="${site.copyDone}">${site.copy}</span>
    <span class="hidden-text">${what}</span>
  </button>`
}

/** Code with its label and a copy button. Long lines scroll inside the box. */
export function codeBox(texts: Texts, id: string, label: string, text: string): Html {
  return html`<div class="code">
    <p class="code-head full">
      <span class="muted small">${label}</span>
      ${copyButton(texts, id, label)}
    </p>
    <pre tabindex="0"><code id="${id}">${text}</code></pre>
  </div>`
}

/**
 * A filter for the items of a selector. Without scripts it is hidden, and the whole list is shown. `index` is the address of
 * what else the items are found by (`renderReferenceIndex`), loaded when the filter is used.
 */
export function listFilter(
  { site }: Texts,
  id: string,
  label: string,
  items: string,
  index?: string,
): Html {
  const { some, none } = site.filter
  return html`<div
    class="filter needs-script"
    data-browser
    data-items="${items}"
    data-some="${some}"
    data-none="${none}"
    ${index !== undefined && html` data-index="${index}"`}
  >
    <p class="field">
      <label for="${id}">${label}</label>
      <input id="${id}" type="search" autocomplete="off" spellcheck="false" />
    </p>
    <p class="muted small" role="status"></p>
  </div>`
}

/**
 * The steps of a check before it starts. The script replaces them with a list of the same height: each state has the
 * width of its longest label from the start, in any font.
 */
export function pendingSteps(labels: readonly string[], states: Texts['proof']['states']): Html {
  const widths = Object.values(states).join('\n')
  return html`<ol class="steps plain-list">
    ${labels.map(
      (label) =>
        html`<li class="step" data-state="pending">
          <span class="step-label">${label}</span>
          <span class="step-state state state-idle" data-widths="${widths}">${states.pending}</span>
          <div class="step-detail"></div>
        </li> `,
    )}
  </ol>`
}

/**
 * Texts for the page's script, which reads them by name (src/browser/page-texts.ts). No program shows a data block, as text
 * browsers show a template; the policy allows it, because it does not run.
 */
export function scriptTexts(name: string, texts: object): Html {
  const json = showHidden(JSON.stringify(texts)).replaceAll('<', String.raw`\u003c`)
  return html`<script type="application/json" data-texts="${name}">
    ${new Html(json)}
  </script>`
}

/** The texts of a proof for scripts. What a step means is only on the page about verifying. */
export function proofTexts({ proof }: Texts): Html {
  const steps = Object.entries(proof.steps).map(([name, { meaning: _, ...step }]) => [name, step])
  return scriptTexts('proof', { ...proof, steps: Object.fromEntries(steps) })
}
