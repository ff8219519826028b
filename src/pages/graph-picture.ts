import type { Locale } from '../contract/locales.ts'
import { html, type Html } from './html.ts'
import { picture, textLines, wrapText, type PictureOptions } from './picture.ts'

/** A box of a graph. */
export interface GraphNode {
  readonly id: string
  readonly title: string
  /** A second, quieter line. */
  readonly kind: string
  /** Id of the element on the page that has the same as text. */
  readonly target: string
  readonly isPlanned: boolean
  /** Fixed column; without it the column follows from the edges. */
  readonly column?: number
}

/** An arrow from one box to another. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isPlanned: boolean
}

/** A graph and how it is described. */
export interface GraphOptions extends Pick<PictureOptions, 'id' | 'title' | 'description'> {
  readonly locale: Locale
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

const BOX = { width: 184, height: 74 } as const
const GAP = { column: 64, row: 22 } as const
const TITLE_PX = 16.5
const MAX_COLUMNS = 4

interface Placed {
  readonly node: GraphNode
  readonly x: number
  readonly y: number
}

/** Columns by the longest way that leads to a node. Each node moves at most as often as there are nodes, so cycles end. */
function columnsOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Map<string, number> {
  const columns = new Map(nodes.map(({ id, column = 0 }) => [id, column]))
  if (nodes.some(({ column }) => column !== undefined)) return columns
  const order = new Map(nodes.map(({ id }, index) => [id, index]))
  // Only edges that lead forward in the operator's order count: they cannot form a cycle.
  const forward = edges.filter(({ from, to }) => (order.get(from) ?? 0) < (order.get(to) ?? 0))
  for (const { id } of nodes) {
    for (const { from, to } of forward) {
      if (to === id) columns.set(id, Math.max(columns.get(id) ?? 0, (columns.get(from) ?? 0) + 1))
    }
  }
  // A long chain folds: a picture wider than the page would hide its end.
  const last = Math.max(...columns.values())
  if (last < MAX_COLUMNS) return columns
  const scale = (MAX_COLUMNS - 1) / last
  return new Map([...columns].map(([id, column]) => [id, Math.round(column * scale)]))
}

function place(
  nodes: readonly GraphNode[],
  columns: ReadonlyMap<string, number>,
): readonly Placed[] {
  const rows = new Map<number, number>()
  return nodes.map((node) => {
    const column = columns.get(node.id) ?? 0
    const row = rows.get(column) ?? 0
    rows.set(column, row + 1)
    return {
      node,
      x: 1 + column * (BOX.width + GAP.column),
      y: 1 + row * (BOX.height + GAP.row),
    }
  })
}

function edgePath(from: Placed, to: Placed): string {
  const middle = BOX.height / 2
  if (to.x > from.x) {
    const [x1, x2] = [from.x + BOX.width, to.x - 7]
    const bend = (x2 - x1) / 2
    return `M${x1} ${from.y + middle}C${x1 + bend} ${from.y + middle} ${x2 - bend} ${to.y + middle} ${x2} ${to.y + middle}`
  }
  if (to.x === from.x) {
    const x = from.x + BOX.width
    return `M${x} ${from.y + middle}C${x + 46} ${from.y + middle} ${x + 46} ${to.y + middle} ${x + 7} ${to.y + middle}`
  }
  const [x1, x2] = [from.x, to.x + BOX.width + 7]
  const bend = (x1 - x2) / 2
  return `M${x1} ${from.y + middle}C${x1 - bend} ${from.y + middle} ${x2 + bend} ${to.y + middle} ${x2} ${to.y + middle}`
}

function nodeBox({ node, x, y }: Placed, locale: Locale): Html {
  const lines = wrapText(node.title, { em: (BOX.width - 24) / TITLE_PX, maxLines: 2, locale })
  const top = lines.length === 1 ? y + 30 : y + 24
  return html`<a href="#${node.target}">
    <rect
      class="picture-box${node.isPlanned ? ' picture-box-planned' : ''}"
      x="${x}"
      y="${y}"
      width="${BOX.width}"
      height="${BOX.height}"
      rx="6"
    />
    ${textLines(lines, { x: x + 12, y: top, step: 18, className: 'picture-name' })}
    <text class="picture-label" x="${x + 12}" y="${y + BOX.height - 12}">${node.kind}</text>
  </a> `
}

/** Boxes in columns with arrows between them. */
export function graphPicture({
  nodes,
  edges,
  locale,
  ...described
}: GraphOptions): Html | undefined {
  if (nodes.length < 2) return undefined
  const placed = place(nodes, columnsOf(nodes, edges))
  const byId = new Map(placed.map((each) => [each.node.id, each]))
  const arrow = `${described.id}-arrow`
  return picture({
    ...described,
    width: Math.max(...placed.map(({ x }) => x)) + BOX.width + 40,
    height: Math.max(...placed.map(({ y }) => y)) + BOX.height + 2,
    content: html`<defs>
        <marker
          id="${arrow}"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="7"
          markerHeight="7"
          orient="auto-start-reverse"
        >
          <path class="picture-head" d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      ${edges.map(({ from, to, isPlanned }) => {
        const [a, b] = [byId.get(from), byId.get(to)]
        if (a === undefined || b === undefined || a === b) return undefined
        return html`<path
          class="picture-link${isPlanned ? ' picture-link-planned' : ''}"
          d="${edgePath(a, b)}"
          marker-end="url(#${arrow})"
        /> `
      })}${placed.map((each) => nodeBox(each, locale))}`,
  })
}
