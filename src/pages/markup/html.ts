import { escapeHidden } from '@public-api/contract/text/hidden-characters'

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

/** All but tabs and the marks of Thai line breaks (thai-lines.ts), which published texts do not have. */
const MAY_HIDE = /[^\t\u200b\u2060]+/g

/** A text in which what people would not see is written out, such as `\u202e`. */
export function showHidden(text: string): string {
  return text.replaceAll(MAY_HIDE, escapeHidden)
}

/** Text escaped for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return showHidden(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Text between tags, where quotation marks need no escaping. */
export function escapeContent(text: string): Html {
  return new Html(showHidden(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
}

function written(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  return typeof value === 'object' ? value.map(written).join('') : escapeHtml(String(value))
}

/** The texts of each template without their indentation, a tenth of a page. */
const unindented = new WeakMap<TemplateStringsArray, readonly string[]>()

function textsOf(template: TemplateStringsArray): readonly string[] {
  const known = unindented.get(template)
  if (known !== undefined) return known
  const texts = template.map((text) => text.replaceAll(/\n\s+/g, '\n'))
  unindented.set(template, texts)
  return texts
}

/**
 * A markup template. Values are escaped for elements and quoted attributes.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const texts = textsOf(template)
  let text = texts[0] ?? ''
  for (const [index, value] of values.entries()) text += written(value) + (texts[index + 1] ?? '')
  return new Html(text)
}

export function joinHtml(pieces: readonly HtmlValue[], between: HtmlValue): Html {
  return html`${pieces.map((piece, index) => (index === 0 ? piece : [between, piece]))}`
}

/** Longest code that fits on a line of text in a window 320 px wide. */
const WHOLE_CHARACTERS = 26

/** The text of a code or of a path. It may be broken before its slashes and after its spaces, but not at a hyphen. */
export function codeParts(text: string): HtmlValue {
  if (text.length <= WHOLE_CHARACTERS && !/[-{]/.test(text)) return text
  const parts = text.split(/(?<= )|(?<=[\w}])(?=\/)/).map((part) => {
    const isWhole = part.length <= WHOLE_CHARACTERS && /[-{]/.test(part)
    return isWhole ? unbroken(part) : part
  })
  return joinHtml(parts, html`<wbr />`)
}

/** Text on one line, such as a time. */
export function unbroken(text: string): Html {
  return html`<span class="whole">${text}</span>`
}

/** A word of a program, such as a path, a header field or an id. A short one is not broken at all. */
export function code(text: string | number): Html {
  const word = String(text)
  if (word.length > WHOLE_CHARACTERS) return html`<code>${codeParts(word)}</code>`
  return /[- ]/.test(word) ? html`<code class="whole">${word}</code>` : html`<code>${word}</code>`
}
