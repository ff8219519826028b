import { partOf } from '@public-api/contract/text/part-of'
import { html, type Html, type HtmlValue } from '../markup/html.ts'

/** A picture drawn from data, with its text alternative. */
export interface PictureOptions {
  /** Unique on its page. */
  readonly id: string
  /** What the picture shows, in a few words. */
  readonly title: string
  /** Its content as a sentence. The page has the same facts as text. */
  readonly description: string | Html
  readonly width: number
  readonly height: number
  readonly content: HtmlValue
  /** The same as a list, for windows in which the picture would have to be scrolled sideways. */
  readonly narrow?: Html
  /** Whether it has no links. With links its role is group, because screen readers skip the parts of an image. */
  readonly isImage?: boolean
}

/** A picture wider than this is unreadable where it is drawn smaller; its list is shown instead. */
const MAX_WIDTH = 1200

/** What a picture shows. Its title and description are also its text alternatives. */
export function pictureCaption({
  id,
  title,
  description,
}: Pick<PictureOptions, 'id' | 'title' | 'description'>): Html {
  return html`<figcaption class="muted small">
    <strong id="${id}-title">${title}</strong>
    <span id="${id}-text">${description}</span>
  </figcaption>`
}

/** An inline SVG in a box that scrolls in narrow windows. */
export function picture(options: PictureOptions): Html {
  const { id, width, height, content, narrow, isImage = false } = options
  const caption = pictureCaption(options)
  if (narrow !== undefined && width > MAX_WIDTH) {
    return html`<figure class="picture">${narrow} ${caption}</figure>`
  }
  return html`<figure class="picture${narrow !== undefined && ' has-narrow'}">
    <div class="wide" role="group" tabindex="0" aria-labelledby="${id}-title">
      <svg
        role="${isImage ? 'img' : 'group'}"
        aria-labelledby="${id}-title"
        aria-describedby="${id}-text"
        viewBox="0 0 ${width} ${height}"
        width="${width}"
        height="${height}"
      >
        ${content}
      </svg>
    </div>
    ${narrow} ${caption}
  </figure>`
}

/** Space between letters and between words in em that a reader may set (WCAG 1.4.12). No text may leave its box for it. */
const LETTER_SPACE = 0.12
const WORD_SPACE = 0.16

/** Approximate width of a character in em: precise enough to break lines in SVG, which browsers do not do. */
function characterWidth(character: string): number {
  if (/\p{Script=Han}|[\u3000-\u30ff\uff00-\uffef]/u.test(character)) return 1
  // Thai vowels and tone marks above and below have no width.
  if (/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u200b\u2060]/.test(character)) return 0
  if (/[mwMW@]/.test(character)) return 0.85
  if (/[iljtfr.,:;'|! ]/.test(character)) return 0.32
  return /[A-Z]/.test(character) ? 0.68 : 0.56
}

/** Width in em that a text takes at most: with the spacing of readers who need it. */
export function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    const own = characterWidth(character)
    width += own + (own && LETTER_SPACE) + (character === ' ' ? WORD_SPACE : 0)
  }
  return width
}

/** Punctuation that no line begins with. */
const CLOSING = /^[，。、；：！？）」』》,.;:!?)]/

/** Breaks a text into lines of at most `em` width; text beyond `maxLines` is replaced by an ellipsis. */
export function wrapPictureText(
  text: string,
  { em, maxLines, locale }: { em: number; maxLines: number; locale: string },
): readonly string[] {
  const words = Array.from(
    new Intl.Segmenter(locale, { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  )
  const lines: string[] = ['']
  for (const word of words) {
    const line = lines.at(-1) ?? ''
    const isFull = widthOf(line + word.trimEnd()) > em
    if (line !== '' && isFull && !CLOSING.test(word)) lines.push(word.trimStart())
    else lines[lines.length - 1] = line + word
  }
  const shown = lines.map((line) => line.trim()).filter((line) => line !== '')
  if (shown.length <= maxLines) return shown
  let last = shown[maxLines - 1] ?? ''
  while (widthOf(`${last}…`) > em) last = partOf(last, 0, last.length - 1).trimEnd()
  return [...shown.slice(0, maxLines - 1), `${last}…`]
}

/** The tip of an arrow, for `marker-end`. */
export function arrowMarker(id: string): Html {
  return html`<defs>
    <marker
      id="${id}"
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto-start-reverse"
    >
      <path class="picture-head" d="M0 0L8 4L0 8Z" />
    </marker>
  </defs>`
}

export function box(
  className: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  radius = 6,
): Html {
  return html`<rect
    class="${className}"
    x="${x}"
    y="${y}"
    width="${width}"
    height="${height}"
    rx="${radius}"
  />`
}

export function textLines(
  lines: readonly string[],
  { x, y, step, className }: { x: number; y: number; step: number; className: string },
): Html {
  return html`<text class="${className}" x="${x}" y="${y}">
    ${lines.map((line, index) => html`<tspan x="${x}" dy="${index === 0 ? 0 : step}">${line}</tspan> `)}
  </text>`
}
