/** Markup that is safe to send: made by `html` alone, which escapes every value that is not markup itself. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What may stand in a template. Nothing is written for `undefined` and `false`; lists are written one after another. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[]

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it stands in markup, inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(written).join('') : escapeHtml(String(value))
}

/** A template of markup. Values are escaped, so one may stand in an element or between the quotes of an attribute. */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let text = template[0] ?? ''
  for (const [index, value] of values.entries())
    text += written(value) + (template[index + 1] ?? '')
  return new Html(text)
}

/** Several pieces of markup with another between each two. */
export function joinHtml(pieces: readonly HtmlValue[], between: HtmlValue): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : [between, piece]))}`
}
