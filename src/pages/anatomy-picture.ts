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

/** The form for narrow windows: each line of the signed text is below the part of the exchange that it comes from. */
const NARROW = { width: 328, x: 20, indent: 44, messageCharacters: 38, lineCharacters: 32 } as const

interface NarrowRow {
  /** A line of the signed text and the key have a box. */
  readonly kind: 'label' | 'message' | 'unsigned' | 'line' | 'key'
  readonly text: string
  /** Number of rows from a line up to the part of the exchange that it comes from. */
  readonly from?: number
}

function narrowRow(row: NarrowRow, index: number, arrowId: string): Html {
  const { x, width, indent, messageCharacters, lineCharacters } = NARROW
  const middle = middleOf(index)
  if (row.kind === 'label') return label(row.text, index, x)
  if (row.kind === 'message' || row.kind === 'unsigned') {
    return codeLine(cutText(row.text, messageCharacters), index, x, row.kind === 'message')
  }
  const left = x + indent
  const lane = x + PADDING + 6
  const arrow =
    row.kind === 'key'
      ? `M${left} ${middle}H${lane}V${middleOf(index + 1) - 9}`
      : row.from !== undefined && `M${lane} ${middleOf(index - row.from) + 9}V${middle}H${left - 1}`
  return html`${box('picture-box', { x: left, y: middle - 10, width: width - left - 8, height: 20 }, 3)}
  ${codeLine(cutText(row.text, lineCharacters), index, left - 4, true)}
  ${
    arrow !== false &&
    html`<path class="picture-link" d="${arrow}" marker-end="url(#${arrowId})" />`
  }`
}

/** The content of the picture as one column. */
function narrowAnatomy({ texts, facts }: PageContext, sample: SampleResponse) {
  const t = texts.picture
  const line = (number: number, from?: number): NarrowRow => ({
    kind: 'line',
    text: `${number} ${sample.signedLines[number - 1] ?? ''}`,
    ...(from !== undefined && { from }),
  })
  const header = (name: string, value: string): NarrowRow => ({
    kind: 'message',
    text: `${name}: ${value}`,
  })
  const digest = header(HEADERS.contentDigest, sample.contentDigest)
  const body: NarrowRow = { kind: 'message', text: sample.body }
  const rows: readonly NarrowRow[] = [
    { kind: 'label', text: t.anatomyLines },
    line(1),
    { kind: 'label', text: t.anatomyRequest },
    { kind: 'message', text: `${sample.method} ${sample.target}` },
    line(2, 1),
    line(3, 2),
    { kind: 'label', text: t.anatomyHeaders },
    { kind: 'message', text: `HTTP ${sample.status}` },
    line(4, 1),
    header(HEADERS.signedAt, sample.signedAt),
    line(5, 1),
    digest,
    line(6, 1),
    { kind: 'label', text: t.anatomySigned },
    { kind: 'key', text: facts.keyId ?? '' },
    header(HEADERS.signature, sample.signature),
    { kind: 'unsigned', text: `${HEADERS.etag}: ${sample.etag}` },
    { kind: 'unsigned', text: `${HEADERS.requestId}: ${sample.requestId}` },
    { kind: 'label', text: plainText(t.anatomyBody, { bytes: Buffer.byteLength(sample.body) }) },
    body,
  ]
  const { x, width } = NARROW
  const arrowId = `${ARROW_ID}-narrow`
  const [digestY, bodyY] = [digest, body].map((row) => middleOf(rows.indexOf(row)))
  return {
    width,
    height: rows.length * ROW + 24,
    content: html`${arrowMarker(arrowId)} ${surface({ x, width: width - x }, rows.length)}
      ${rows.map((row, index) => narrowRow(row, index, arrowId))}
      <path
        class="picture-link"
        d="M${x} ${bodyY ?? 0}H4V${digestY ?? 0}H${x + 10}"
        marker-end="url(#${arrowId})"
      />`,
  }
}

/** The parts of a real response on one side, the signed text made of them on the other. */
export function anatomyPicture(context: PageContext, sample: SampleResponse): Html {
  const { texts, facts } = context
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
    narrow: narrowAnatomy(context, sample),
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
