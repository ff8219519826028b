import { HEADERS } from '../contract/headers.ts'
import { html, type Html } from './html.ts'
import type { PageContext } from './page.ts'
import { arrowMarker, box, cutText, picture } from './picture.ts'
import { plainText } from './rich-text.ts'
import type { SampleResponse } from './sample-response.ts'

const ROW = 24
const PADDING = 14
const ARROW_ID = 'anatomy-arrow'

/** Position, width and line length of each side of the wide form. Both sides together fit on a tablet. */
const EXCHANGE = { x: 24, width: 350, characters: 44 } as const
const SIGNED = { x: 418, width: 284, characters: 35 } as const

/** The form for narrow windows: each line of the signed text is below its source. */
const NARROW = { width: 328, x: 20, indent: 44, characters: 38, lineCharacters: 32 } as const

/** A row of the picture, in the order of the narrow form. */
interface Row {
  /** The exchange, or the signed text with its key. */
  readonly side: 'exchange' | 'signed'
  readonly kind: 'label' | 'code' | 'unsigned'
  readonly text: string
  /** The part of the exchange that a line comes from. */
  readonly source?: Row | undefined
  /** The part of the exchange that the key creates. */
  readonly target?: Row
}

function rowsOf({ texts, facts }: PageContext, sample: SampleResponse) {
  const t = texts.picture
  const label = (text: string, side: Row['side'] = 'exchange'): Row => ({
    side,
    kind: 'label',
    text,
  })
  const part = (text: string, kind: Row['kind'] = 'code'): Row => ({ side: 'exchange', kind, text })
  const line = (number: number, source?: Row): Row => ({
    side: 'signed',
    kind: 'code',
    text: `${number} ${sample.signedLines[number - 1] ?? ''}`,
    source,
  })
  const request = part(`${sample.method} ${sample.target}`)
  const status = part(`HTTP ${sample.status}`)
  const signedAt = part(`${HEADERS.signedAt}: ${sample.signedAt}`)
  const digest = part(`${HEADERS.contentDigest}: ${sample.contentDigest}`)
  const signature = part(`${HEADERS.signature}: ${sample.signature}`)
  const body = part(sample.body)
  const key: Row = { side: 'signed', kind: 'code', text: facts.keyId ?? '', target: signature }
  const rows: readonly Row[] = [
    label(t.anatomyLines, 'signed'),
    line(1),
    label(t.anatomyRequest),
    request,
    line(2, request),
    line(3, request),
    label(t.anatomyHeaders),
    status,
    line(4, status),
    signedAt,
    line(5, signedAt),
    digest,
    line(6, digest),
    label(t.anatomySigned, 'signed'),
    key,
    signature,
    part(`${HEADERS.etag}: ${sample.etag}`, 'unsigned'),
    part(`${HEADERS.requestId}: ${sample.requestId}`, 'unsigned'),
    label(plainText(t.anatomyBody, { bytes: Buffer.byteLength(sample.body) })),
    body,
  ]
  return { rows, digest, body }
}

const middleOf = (index: number): number => ROW * (index + 1)

function rowText({ kind, text }: Row, x: number, middle: number, characters: number): Html {
  const className = {
    label: 'picture-label',
    code: 'picture-code',
    unsigned: 'picture-code picture-quiet',
  }[kind]
  return html`<text class="${className}" x="${x + PADDING}" y="${middle + 4}"
    >${kind === 'label' ? text : cutText(text, characters)}</text
  > `
}

function arrow(path: string, id: string): Html {
  return html`<path class="picture-link" d="${path}" marker-end="url(#${id})" /> `
}

/** An arrow from the body to its digest, to the left of the rows. */
function digestArrow(bodyY: number, digestY: number, x: number, id: string): Html {
  return arrow(`M${x} ${bodyY}H${x - 16}V${digestY}H${x + 10}`, id)
}

/** The exchange on the left, and the signed text on the right at the height of its sources. */
function wideForm({ rows, digest, body }: ReturnType<typeof rowsOf>) {
  const middles = new Map<Row, number>()
  const heights = ([EXCHANGE, SIGNED] as const).map((side) => {
    let index = 0
    for (const row of rows) {
      if ((row.side === 'exchange') !== (side === EXCHANGE)) continue
      // A gap before each group but the first.
      if (row.kind === 'label' && index > 0) index += 1
      middles.set(row, middleOf(index))
      index += 1
    }
    return middleOf(index)
  })
  const middle = (row: Row): number => middles.get(row) ?? 0
  const edge = EXCHANGE.x + EXCHANGE.width
  const connection = (from: Row, to: Row): Html => {
    const [x1, x2] = from.side === 'exchange' ? [edge, SIGNED.x - 2] : [SIGNED.x, edge + 2]
    const bend = (x1 + x2) / 2
    const [y1, y2] = [middle(from), middle(to)]
    return arrow(`M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`, ARROW_ID)
  }
  const [height = 0, signedHeight = 0] = heights
  return {
    width: SIGNED.x + SIGNED.width,
    height,
    content: html`${arrowMarker(ARROW_ID)} ${box('picture-zone', { ...EXCHANGE, y: 0, height })}
    ${box('picture-zone', { ...SIGNED, y: 0, height: signedHeight })}
    ${rows.map((row) => {
      const { x, characters } = row.side === 'exchange' ? EXCHANGE : SIGNED
      return [
        rowText(row, x, middle(row), characters),
        row.source && connection(row.source, row),
        row.target && connection(row, row.target),
      ]
    })}${digestArrow(middle(body), middle(digest), EXCHANGE.x, ARROW_ID)}`,
  }
}

/** One column, with a box for each line of the signed text and for the key. */
function narrowForm({ rows, digest, body }: ReturnType<typeof rowsOf>) {
  const { x, width, indent, characters, lineCharacters } = NARROW
  const id = `${ARROW_ID}-narrow`
  const middle = (row: Row): number => middleOf(rows.indexOf(row))
  const [left, lane] = [x + indent, x + PADDING + 6]
  const height = middleOf(rows.length)
  return {
    width,
    height,
    content: html`${arrowMarker(id)} ${box('picture-zone', { x, y: 0, width: width - x, height })}
    ${rows.map((row) => {
      const y = middle(row)
      const { source, target } = row
      if (row.side === 'exchange' || row.kind === 'label') return rowText(row, x, y, characters)
      return [
        box('picture-box', { x: left, y: y - 10, width: width - left - 8, height: 20 }, 3),
        rowText(row, left - 4, y, lineCharacters),
        source && arrow(`M${lane} ${middle(source) + 9}V${y}H${left - 1}`, id),
        target && arrow(`M${left} ${y}H${lane}V${middle(target) - 9}`, id),
      ]
    })}${digestArrow(middle(body), middle(digest), x, id)}`,
  }
}

/** A picture of a real response, and of the signed text composed of its parts. */
export function anatomyPicture(context: PageContext, sample: SampleResponse): Html {
  const t = context.texts.picture
  const rows = rowsOf(context, sample)
  return picture({
    id: 'anatomy-picture',
    title: t.anatomyTitle,
    description: t.anatomyText,
    isImage: true,
    ...wideForm(rows),
    narrow: narrowForm(rows),
  })
}
