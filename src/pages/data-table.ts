import { code, html, type Html, type HtmlValue } from './html.ts'
import type { PageContext } from './page.ts'
import { operatorText } from './rich-text.ts'

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  /** The content of a cell. If undefined, the cell is empty, on narrow screens without its label. */
  readonly cell: (row: Row) => HtmlValue
  /** Whether the cell is the header of its row. */
  readonly isHeader?: true
}

/** Options of a table. */
export interface TableOptions<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rowId?: (row: Row) => string
  readonly caption?: string
  readonly className?: string
  /** Shown instead of a table without rows. */
  readonly none?: string
}

/** A table. On narrow screens its rows are labelled lines. */
export function dataTable<Row>(
  rows: readonly Row[],
  { columns, rowId, caption, className, none }: TableOptions<Row>,
): Html {
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

/** The header cell of a published item: its name, its summary if it has one, and its id. */
export function nameCell(
  { content }: PageContext,
  { id, name, summary }: { readonly id: string; readonly name: string; readonly summary?: string },
): Html {
  return html`<p>${operatorText(content, name)}</p>
    ${summary !== undefined && html`<p class="small">${operatorText(content, summary)}</p>`}
    <p class="muted small">${code(id)}</p>`
}
