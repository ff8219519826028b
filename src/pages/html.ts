/** Markup that is safe to send: made by `html` alone, which escapes every value that is not markup itself. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Values of a template. `undefined` and `false` render nothing; lists are joined. */
export type HtmlValue = string | number | Html | undefined | false | readonly HtmlValue[]

const ENTITIES: { readonly [character: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text escaped for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(written).join('') : escapeHtml(String(value))
}

/** Stands for the values while the pieces of a template are looked at as one text; no template holds it. */
const VALUE = '\0'

/** Elements of HTML without an end tag (HTML standard 13.1.2), in the form that the formatter of the sources gives them. */
const VOID_TAG =
  /<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b([^<>]*?)\s*\/>/g

/** Where the sources break lines and indent: it tells a browser no more than a single break does. */
const INDENTATION = /[ \t]*\n\s*/g

/** Elements at whose inner ends a line break shows nothing; not `pre`, where it would. */
const BLOCK =
  'article|aside|body|button|caption|d[dlt]|details|div|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|html|label|legend|li|main|nav|[ou]l|p|section|summary|table|tbody|t[dhr]|template|thead'

/** A line break behind the start tag of such an element, and one before its end tag. */
const BREAK_WITHIN = new RegExp(`(<(?:${BLOCK})(?:\\s[^<>]*)?>)\\n|\\n(?=</(?:${BLOCK})>)`, 'g')

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>()

/** A space at the end is most often followed by a line break, and would then stand at the end of a line. */
const LAST_SPACE = / +$/

/** The pieces of a template as they are sent: without the indentation of the sources, void elements without a slash. */
function piecesOf(template: TemplateStringsArray): readonly string[] {
  const known = tidied.get(template)
  if (known !== undefined) return known
  const pieces = template
    .join(VALUE)
    .replaceAll(INDENTATION, '\n')
    .replace(LAST_SPACE, '\n')
    .replaceAll(VOID_TAG, '<$1$2>')
    .replaceAll(BREAK_WITHIN, '$1')
    .split(VALUE)
  tidied.set(template, pieces)
  return pieces
}

/**
 * A template of markup. Values are escaped, so a value can be used in an element or a quoted attribute, and
 * they are sent to the letter. Space in the template is sent as little of it as means the same to a browser.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const pieces = piecesOf(template)
  let text = pieces[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + (pieces[index + 1] ?? '')
  return new Html(text)
}

/** Several pieces of markup with another between each two. */
export function joinHtml(pieces: readonly HtmlValue[], between: HtmlValue): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : [between, piece]))}`
}
