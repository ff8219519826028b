/** Safe markup: created only by `html`, which escapes every value that is not markup. */
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

/** Text between tags, where quotation marks need no escaping. */
export function escapeContent(text: string): Html {
  return new Html(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(written).join('') : escapeHtml(String(value))
}

/** Placeholder for values while the pieces of a template are processed as one text; no template contains it. */
const VALUE = '\0'

/** Void elements (HTML standard 13.1.2), in the form that the source formatter writes. */
const VOID_TAG =
  /<(area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)\b([^<>]*?)\s*\/>/g

/** Line breaks and indentation of the sources, which are equivalent to a single line break. */
const INDENTATION = /[ \t]*\n\s*/g

/** Elements that do not render leading and trailing line breaks, unlike `pre`. */
const BLOCK =
  'article|aside|body|button|caption|d[dlt]|details|div|fieldset|figcaption|figure|footer|form|h[1-6]|head|header|html|label|legend|li|main|nav|[ou]l|p|section|summary|table|tbody|t[dhr]|template|thead'

/** A line break after the start tag or before the end tag of such an element. */
const BREAK_WITHIN = new RegExp(`(<(?:${BLOCK})(?:\\s[^<>]*)?>)\\n|\\n(?=</(?:${BLOCK})>)`, 'g')

const tidied = new WeakMap<TemplateStringsArray, readonly string[]>()

/** A trailing space is usually followed by a line break. */
const LAST_SPACE = / +$/

/** The pieces of a template as sent: without the indentation of the sources, void elements without a slash. */
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
 * A markup template. Values are escaped for elements and quoted attributes. White space of the template is reduced
 * where it is not rendered.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const pieces = piecesOf(template)
  let text = pieces[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + (pieces[index + 1] ?? '')
  return new Html(text)
}

export function joinHtml(pieces: readonly HtmlValue[], between: HtmlValue): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : [between, piece]))}`
}

/** Longest code that fits on a line of text in a window 320 px wide. */
const WHOLE_CHARACTERS = 26

/** A word of a program, such as a path, a header field or an id. A short one is not broken at its hyphens and spaces. */
export function code(text: string | number): Html {
  const word = String(text)
  return word.length <= WHOLE_CHARACTERS && /[- ]/.test(word)
    ? html`<code class="whole">${word}</code>`
    : html`<code>${word}</code>`
}
