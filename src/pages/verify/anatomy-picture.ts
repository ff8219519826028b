import { HEADERS } from '@public-api/contract/terms/headers'
import { html, type Html } from '../markup/html.ts'
import { plainText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { arrowMarker, box, cutText, picture } from '../pictures/picture.ts'
import type { SampleResponse } from './sample-response.ts'

/** Width that fits on a phone. */
const WIDTH = 328
const ROW = 24
const PADDING = 14
/** Left edges of the exchange and of the boxes, and of the arrows between them. */
const EXCHANGE_X = 20
const BOX_X = 64
const LANE_X = 40
/** Line lengths of the exchange and of the boxes. */
const CHARACTERS = 38
const BOX_CHARACTERS = 32
const ARROW_ID = 'anatomy-arrow'

/** Width of a character of code in the picture: 12 px, at the 0.6 em of most faces. */
const CODE_CHARACTER = 7.2

/** A row: a heading, a part of the exchange, or a line of the signed text. */
interface Row {
  readonly kind: 'label' | 'exchange' | 'unsigned' | 'signed'
  readonly text: string
  /** The part of the exchange that a line comes from. */
  readonly source?: Row | undefined
  /** The part of the exchange that the key creates. */
  readonly target?: Row
}

function rowsOf({ texts, facts }: PageContext, sample: SampleResponse) {
  const t = texts.picture
  const label = (text: string): Row => ({ kind: 'label', text })
  const part = (text: string, kind: Row['kind'] = 'exchange'): Row => ({ kind, text })
  const line = (number: number, source?: Row): Row => {
    const text = `${number} ${sample.signedLines[number - 1] ?? ''}`
    return { kind: 'signed', text, source }
  }
  const request = part(`${sample.method} ${sample.target}`)
  const status = part(`HTTP ${sample.status}`)
  const signedAt = part(`${HEADERS.signedAt}: ${sample.signedAt}`)
  const digest = part(`${HEADERS.contentDigest}: ${sample.contentDigest}`)
  const signature = part(`${HEADERS.signature}: ${sample.signature}`)
  const body = part(sample.body)
  const rows: readonly Row[] = [
    label(t.anatomyLines),
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
    label(t.anatomySigned),
    { kind: 'signed', text: facts.keyId ?? '', target: signature },
    signature,
    part(`${HEADERS.etag}: ${sample.etag}`, 'unsigned'),
    part(`${HEADERS.requestId}: ${sample.requestId}`, 'unsigned'),
    label(plainText(t.anatomyBody, { bytes: Buffer.byteLength(sample.body) })),
    body,
  ]
  return { rows, digest, body }
}

function arrow(path: string): Html {
  return html`<path class="picture-link" d="${path}" marker-end="url(#${ARROW_ID})" /> `
}

/**
 * A picture of a real response, and of the signed text composed of its parts. Each line of the signed text is in a box
 * below its source.
 */
export function anatomyPicture(context: PageContext, sample: SampleResponse): Html {
  const t = context.texts.picture
  const { rows, digest, body } = rowsOf(context, sample)
  const middle = (row: Row): number => ROW * (rows.indexOf(row) + 1)
  const height = ROW * (rows.length + 1)
  return picture({
    id: 'anatomy-picture',
    title: t.anatomyTitle,
    description: t.anatomyText,
    isImage: true,
    width: WIDTH,
    height,
    content: html`${arrowMarker(ARROW_ID)}
    ${box('picture-zone', { x: EXCHANGE_X, y: 0, width: WIDTH - EXCHANGE_X, height })}
    ${rows.map((row) => {
      const { kind, text, source, target } = row
      const y = middle(row)
      const isSigned = kind === 'signed'
      const x = isSigned ? BOX_X + 10 : EXCHANGE_X + PADDING
      const shown = cutText(text, isSigned ? BOX_CHARACTERS : CHARACTERS)
      return [
        isSigned &&
          box('picture-box', { x: BOX_X, y: y - 10, width: WIDTH - BOX_X - 8, height: 20 }, 3),
        kind === 'label'
          ? html`<text class="picture-label" x="${x}" y="${y + 4}">${text}</text> `
          : html`<text
              class="picture-code${kind === 'unsigned' && ' picture-quiet'}"
              x="${x}"
              y="${y + 4}"
              textLength="${Math.round(shown.length * CODE_CHARACTER)}"
              lengthAdjust="spacingAndGlyphs"
              >${shown}</text
            > `,
        source && arrow(`M${LANE_X} ${middle(source) + 9}V${y}H${BOX_X - 1}`),
        target && arrow(`M${BOX_X} ${y}H${LANE_X}V${middle(target) - 9}`),
      ]
    })}${arrow(`M${EXCHANGE_X} ${middle(body)}H4V${middle(digest)}H${EXCHANGE_X + 10}`)}`,
  })
}
