import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { html, type Html } from '../markup/html.ts'
import type { PageContext } from '../page.ts'
import { box, picture, textLines, wrapPictureText } from './picture.ts'

/** Number of boxes that fit side by side on a tablet. */
const COLUMNS = 3
const BOX = { width: 190, height: 52, gap: 12 } as const
const PADDING = 14
const WIDTH = COLUMNS * (BOX.width + BOX.gap) - BOX.gap + 2 * PADDING
/** Distance from the top of a zone to its boxes. */
const ZONE_HEAD = 40
/** Distance between a zone and the boundary. */
const MARGIN = 20
const TEXT_PX = 14

/** Id prefixes of the rows on the wallet page that match the boxes. */
export const ROW_PREFIXES = {
  view: 'view',
  boundary: 'boundary',
  architectureBoundary: 'architecture-boundary',
  neverPublished: 'never',
} as const

/** A box and the id of the matching row. */
interface Item {
  readonly target: string
  readonly title: string
  /** Whether the title is a path and not a text. */
  readonly isPath?: boolean
}

function itemsOf(
  prefix: string,
  rows: readonly { readonly id: string; readonly title: string }[] = [],
): readonly Item[] {
  return rows.map(({ id, title }) => ({ target: `${prefix}-${id}`, title }))
}

function rowsHeight({ length }: readonly Item[]): number {
  const rows = Math.ceil(length / COLUMNS)
  return Math.max(0, rows * (BOX.height + BOX.gap) - BOX.gap)
}

function boxRows({ locale, content }: PageContext, items: readonly Item[], top: number) {
  return items.map(({ target, title, isPath = false }, index) => {
    const x = PADDING + (index % COLUMNS) * (BOX.width + BOX.gap)
    const y = top + Math.floor(index / COLUMNS) * (BOX.height + BOX.gap)
    const em = (BOX.width - 16) / TEXT_PX
    const lines = isPath ? [title] : wrapPictureText(title, { em, maxLines: 2, locale })
    const className = isPath ? 'picture-code' : 'picture-text'
    const textTop = y + (lines.length === 1 ? 31 : 22)
    const text = textLines(lines, { x: x + 12, y: textTop, step: 18, className })
    return html`<a href="#${target}">
      ${box('picture-box', { ...BOX, x, y })}
      ${content.isUntranslated(title) ? html`<g lang="en">${text}</g>` : text}
    </a> `
  })
}

/** One side of the boundary: a surface with a title and boxes. */
function zone(context: PageContext, title: string, items: readonly Item[], top: number): Html {
  const height = ZONE_HEAD + rowsHeight(items) + PADDING
  return html`${box('picture-zone', { x: 0, y: top, width: WIDTH, height })}
    <text class="picture-name" x="${PADDING}" y="${top + 26}">${title}</text>
    ${boxRows(context, items, top + ZONE_HEAD)}`
}

/**
 * The trust boundary of the wallet. Above it is the data that the views publish, below it the data that they never
 * contain, and between them the boundary with the operator's statements. Undefined if a view is missing or states no withheld data.
 */
export function walletBoundary(context: PageContext): Html | undefined {
  const { content, texts } = context
  const t = texts.picture
  const wallet = content.snapshot('wallet')
  const { neverPublished } = content.snapshot('wallet/security') ?? {}
  const architecture = content.snapshot('wallet/architecture')
  const withheld = itemsOf(ROW_PREFIXES.neverPublished, neverPublished)
  if (wallet === undefined || wallet.views.length === 0 || withheld.length === 0) return undefined
  const published = wallet.views.map(({ id, path }): Item => ({
    target: `${ROW_PREFIXES.view}-${id}`,
    title: path.slice(BASE_PATH.length),
    isPath: true,
  }))
  const boundaries = [
    ...itemsOf(ROW_PREFIXES.boundary, wallet.boundaries),
    ...itemsOf(ROW_PREFIXES.architectureBoundary, architecture?.boundaries),
  ]
  const bandTop = ZONE_HEAD + rowsHeight(published) + PADDING + MARGIN
  const bandHeight = rowsHeight(boundaries) + 2 * PADDING
  const withheldTop = bandTop + bandHeight + MARGIN
  return picture({
    id: 'wallet-picture',
    title: t.walletTitle,
    description: wallet.attached ? t.walletText : t.walletTextNone,
    width: WIDTH,
    height: withheldTop + ZONE_HEAD + rowsHeight(withheld) + PADDING,
    content: html`${zone(context, t.walletPublished, published, 0)}
    ${box('picture-boundary', { x: 1, y: bandTop, width: WIDTH - 2, height: bandHeight })}
    ${boxRows(context, boundaries, bandTop + PADDING)}
    ${zone(context, texts.wallet.neverPublished, withheld, withheldTop)}`,
  })
}
