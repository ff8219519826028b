import { HEADERS } from '../contract/headers.ts'
import { html, type Html } from './html.ts'
import type { PageContext } from './page.ts'
import { arrowMarker, box, cutText, picture } from './picture.ts'
import { plainText } from './rich-text.ts'
import type { SampleResponse } from './sample-response.ts'

const ROW = 24
/** Left and width of the two sides: together they fit on a tablet. */
const MESSAGE = { x: 24, width: 350 } as const
const SIGNED = { x: 418, width: 284 } as const
const WIDTH = SIGNED.x + SIGNED.width
const PADDING = 14
/** Characters of a line on each side. */
const MESSAGE_CHARACTERS = 44
const SIGNED_CHARACTERS = 33
const ARROW_ID = 'anatomy-arrow'

/** Rows of the message, from the top. */
const ROWS = {
  request: 0,
  line: 1,
  response: 3,
  status: 4,
  signedAt: 5,
  digest: 6,
  signature: 7,
  etag: 8,
  requestId: 9,
  body: 11,
  bodyText: 12,
} as const
const ROW_COUNT = 13
/** Row of the first line of the signed text; the lines stand about where they come from. */
const FIRST_LINE = 1
/** Row of the key below the lines. */
const KEY_ROW = 9

/** Which row of the message each line of the signed text comes from; the label comes from none. */
const SOURCES: readonly (readonly [row: number, line: number])[] = [
  [ROWS.line, 1],
  [ROWS.line, 2],
  [ROWS.status, 3],
  [ROWS.signedAt, 4],
  [ROWS.digest, 5],
]

const middleOf = (row: number): number => 12 + row * ROW + ROW / 2
const lineRow = (line: number): number => FIRST_LINE + line

function label(text: string, row: number, x: number): Html {
  return html`<text class="picture-label" x="${x + PADDING}" y="${middleOf(row) + 4}"
    >${text}</text
  >`
}

function codeLine(text: string, row: number, x: number, isSigned: boolean): Html {
  const className = isSigned ? 'picture-code' : 'picture-code picture-quiet'
  return html`<text class="${className}" x="${x + PADDING}" y="${middleOf(row) + 4}">${text}</text>`
}

function surface({ x, width }: { x: number; width: number }, rows: number): Html {
  return box('picture-zone', { x, y: 0, width, height: rows * ROW + 24 })
}

/** From a row of one side to a row of the other. */
function connection(fromRow: number, toRow: number, direction: 'right' | 'left'): Html {
  const left = MESSAGE.x + MESSAGE.width
  const [from, to] = direction === 'right' ? [left, SIGNED.x - 2] : [SIGNED.x, left + 2]
  const middle = (from + to) / 2
  const [y1, y2] = [middleOf(fromRow), middleOf(toRow)]
  return html`<path
    class="picture-link"
    d="M${from} ${y1}C${middle} ${y1} ${middle} ${y2} ${to} ${y2}"
    marker-end="url(#${ARROW_ID})"
  /> `
}

/** The parts of a real response on one side, the signed text made of them on the other. */
export function anatomyPicture({ texts, facts }: PageContext, sample: SampleResponse): Html {
  const t = texts.picture
  const message = (text: string, row: number, isSigned = true): Html =>
    codeLine(cutText(text, MESSAGE_CHARACTERS), row, MESSAGE.x, isSigned)
  const header = (name: string, value: string, row: number, isSigned = true): Html =>
    message(`${name}: ${value}`, row, isSigned)
  const bytes = Buffer.byteLength(sample.body)
  return picture({
    id: 'anatomy-picture',
    title: t.anatomyTitle,
    description: t.anatomyText,
    isImage: true,
    width: WIDTH,
    height: ROW_COUNT * ROW + 24,
    content: html`${arrowMarker(ARROW_ID)} ${surface(MESSAGE, ROW_COUNT)}
      ${surface(SIGNED, KEY_ROW + 2)} ${label(t.anatomyRequest, ROWS.request, MESSAGE.x)}
      ${message(`${sample.method} ${sample.target}`, ROWS.line)}
      ${label(t.anatomyHeaders, ROWS.response, MESSAGE.x)}
      ${message(`HTTP ${sample.status}`, ROWS.status)}
      ${header(HEADERS.signedAt, sample.signedAt, ROWS.signedAt)}
      ${header(HEADERS.contentDigest, sample.contentDigest, ROWS.digest)}
      ${header(HEADERS.signature, sample.signature, ROWS.signature)}
      ${header(HEADERS.etag, sample.etag, ROWS.etag, false)}
      ${header(HEADERS.requestId, sample.requestId, ROWS.requestId, false)}
      ${label(plainText(t.anatomyBody, { bytes }), ROWS.body, MESSAGE.x)}
      ${message(sample.body, ROWS.bodyText)} ${label(t.anatomyLines, 0, SIGNED.x)}
      ${sample.signedLines.map((line, index) =>
        codeLine(
          `${index + 1} ${cutText(line, SIGNED_CHARACTERS)}`,
          lineRow(index),
          SIGNED.x,
          true,
        ),
      )}
      ${label(t.anatomySigned, KEY_ROW - 1, SIGNED.x)}
      ${codeLine(cutText(facts.keyId ?? '', SIGNED_CHARACTERS + 2), KEY_ROW, SIGNED.x, true)}
      ${SOURCES.map(([row, line]) => connection(row, lineRow(line), 'right'))}
      ${connection(KEY_ROW - 1, ROWS.signature, 'left')}
      <path
        class="picture-link"
        d="M${MESSAGE.x} ${middleOf(ROWS.bodyText)}H8V${middleOf(ROWS.digest)}H${MESSAGE.x + 10}"
        marker-end="url(#${ARROW_ID})"
      />`,
  })
}
