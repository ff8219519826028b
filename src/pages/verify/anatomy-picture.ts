import { HEADERS } from '@public-api/contract/terms/headers'
import { html, type Html } from '../markup/html.ts'
import { plainText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { pictureCaption } from '../pictures/picture.ts'
import type { SampleResponse } from './sample-response.ts'

const ID = 'anatomy-picture'

/** More of the body fits in no window. */
const BODY_CHARACTERS = 200

/** On one line, cut off by the style sheet. */
const code = (text: string): Html => html`<code>${text}</code>`
const label = (text: string): Html => html`<p class="muted">${text}</p>`
const part = (text: string): Html => html`<p>${code(text)}</p>`
const unsigned = (text: string): Html => html`<p class="muted">${code(text)}</p>`
/** A box with an arrow: from the row above, from the one above that, or to the row below. */
const boxed = (text: string, arrow: '' | ' from' | ' from second' | ' to'): Html =>
  html`<p class="line${arrow}">${code(text)}</p>`

/**
 * A picture of a real response, and of the signed text composed of its parts. Each line of the signed text is in a box
 * below its source. Elements and not an SVG, so that values are as long as the window allows.
 */
export function anatomyPicture({ texts, facts }: PageContext, sample: SampleResponse): Html {
  const t = texts.picture
  const line = (number: number, arrow: Parameters<typeof boxed>[1] = ' from'): Html =>
    boxed(`${number} ${sample.signedLines[number - 1] ?? ''}`, arrow)
  const size = plainText(t.anatomyBody, { bytes: Buffer.byteLength(sample.body) })
  return html`<figure class="picture">
    <div
      class="anatomy"
      role="img"
      aria-labelledby="${ID}-title"
      aria-describedby="${ID}-text"
      data-browser
    >
      ${label(t.anatomyLines)} ${line(1, '')} ${label(t.anatomyRequest)}
      ${part(`${sample.method} ${sample.target}`)} ${line(2)} ${line(3, ' from second')}
      ${label(t.anatomyHeaders)} ${part(`HTTP ${sample.status}`)} ${line(4)}
      ${part(`${HEADERS.signedAt}: ${sample.signedAt}`)} ${line(5)}
      <div class="loop">
        ${part(`${HEADERS.contentDigest}: ${sample.contentDigest}`)} ${line(6)}
        ${label(t.anatomySigned)} ${boxed(facts.keyId ?? '', ' to')}
        ${part(`${HEADERS.signature}: ${sample.signature}`)}
        ${unsigned(`${HEADERS.etag}: ${sample.etag}`)}
        ${unsigned(`${HEADERS.requestId}: ${sample.requestId}`)} ${label(size)}
        ${part(sample.body.slice(0, BODY_CHARACTERS))}
      </div>
    </div>
    ${pictureCaption({ id: ID, title: t.anatomyTitle, description: t.anatomyText })}
  </figure>`
}
