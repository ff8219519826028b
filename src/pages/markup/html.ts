import { escapeHidden } from '@public-api/contract/text/hidden-characters'

/** Makes a part of a page when its text is needed. */
type Late = () => HtmlValue

/** A text, or a late part that is made once, whichever of the templates with it is written first. */
type Piece = string | (() => Html)

/** Safe markup: created only by `html`, which escapes every value that is not markup. */
export class Html {
  #pieces: readonly Piece[]

  constructor(...pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  get pieces(): readonly Piece[] {
    return this.#pieces
  }

  get text(): string {
    const [only] = this.#pieces
    return this.#pieces.length === 1 && typeof only === 'string'
      ? only
      : [...this.written()].join('')
  }

  /** The text in order. Between two pieces, a caller may leave the event loop to others. */
  *written(): Generator<string> {
    let text = ''
    for (const piece of this.#pieces) {
      const own = typeof piece === 'string' ? [piece] : piece().written()
      for (const each of own) {
        text += each
        yield each
      }
    }
    this.#pieces = [text]
  }
}

/**
 * Values of a template. `undefined` and `false` render nothing; lists are joined. A function is called when the text is needed:
 * a page has one for each part that takes milliseconds.
 */
export type HtmlValue = string | number | Html | undefined | false | Late | readonly HtmlValue[]

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

/** Text that is the same in markup. */
const PLAIN = /^[\n\x20!#-%(-;=?-~]*$/

/** Text escaped for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  if (PLAIN.test(text)) return text
  return showHidden(text).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Text between tags, where quotation marks need no escaping. */
export function escapeContent(text: string): Html {
  return new Html(showHidden(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;'))
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

function madeOnce(late: Late): () => Html {
  let made: Html | undefined
  return () => (made ??= html`${late()}`)
}

/**
 * A markup template. Values are escaped for elements and quoted attributes.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const texts = textsOf(template)
  const before: Piece[] = []
  let text = texts[0] ?? ''
  const addLate = (late: () => Html): void => {
    before.push(text, late)
    text = ''
  }
  const add = (value: HtmlValue): void => {
    if (value === undefined || value === false) return
    if (typeof value === 'function') addLate(madeOnce(value))
    else if (value instanceof Html) {
      for (const piece of value.pieces) {
        if (typeof piece === 'string') text += piece
        else addLate(piece)
      }
    } else if (typeof value === 'object') for (const each of value) add(each)
    else text += escapeHtml(String(value))
  }
  for (const [index, value] of values.entries()) {
    add(value)
    text += texts[index + 1] ?? ''
  }
  return new Html(...before, text)
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
