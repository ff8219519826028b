import type { Locale } from '../contract/locales.ts'
import { html, type Html } from './html.ts'
import { arrowMarker, box, picture, type PictureOptions, textLines, wrapText } from './picture.ts'

/** A box of a graph. */
export interface GraphNode {
  readonly id: string
  readonly title: string
  /** A second, muted line. */
  readonly kind: string
  /** Id of the element on the page with the same content as text. */
  readonly target: string
  readonly isPlanned: boolean
}

/** An arrow from one box to another. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isPlanned: boolean
}

/** A graph with its text alternative. */
export interface GraphOptions extends Pick<PictureOptions, 'id' | 'title' | 'description'> {
  readonly locale: Locale
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

const BOX = { width: 164, height: 70 } as const
/** Distance between boxes of a row, and between rows. */
const GAP = { box: 14, row: 52 } as const
const TITLE_PX = 16.5
/** Maximum number of boxes that fit side by side on a page. */
const BOXES_PER_ROW = 5

interface Placed {
  readonly node: GraphNode
  readonly x: number
  readonly y: number
}

/** The level of each node: one below its lowest predecessor. Sources are directly above their first successor. */
function assignLevels(
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): Map<string, number> {
  const levels = new Map(nodes.map(({ id }) => [id, 0]))
  const order = new Map(nodes.map(({ id }, index) => [id, index]))
  const sources = new Set(nodes.map(({ id }) => id))
  for (const { to } of edges) sources.delete(to)
  // Only edges that lead forward in the operator's order count, so they form no cycle. Sources have no order.
  const forward = edges.filter(
    ({ from, to }) => sources.has(from) || (order.get(from) ?? 0) < (order.get(to) ?? 0),
  )
  for (const { id } of nodes) {
    for (const { from, to } of forward) {
      if (to === id) levels.set(id, Math.max(levels.get(id) ?? 0, (levels.get(from) ?? 0) + 1))
    }
  }
  for (const id of sources) {
    const below = forward.filter(({ from }) => from === id).map(({ to }) => levels.get(to) ?? 1)
    if (below.length > 0) levels.set(id, Math.min(...below) - 1)
  }
  return levels
}

/**
 * Nodes in rows by level. Each row is sorted by the mean position of the predecessors, so that fewer arrows cross. A
 * level with too many boxes has several rows.
 */
function placeInRows(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): readonly Placed[] {
  const levels = assignLevels(nodes, edges)
  const placed: Placed[] = []
  let y = 1
  for (let level = 0; placed.length < nodes.length; level += 1) {
    const sourceX = (id: string): number => {
      const xs = placed
        .filter(({ node }) => edges.some(({ from, to }) => from === node.id && to === id))
        .map(({ x }) => x)
      return xs.length === 0 ? Number.MAX_VALUE : xs.reduce((sum, x) => sum + x, 0) / xs.length
    }
    const row = nodes
      .filter(({ id }) => levels.get(id) === level)
      .toSorted((a, b) => sourceX(a.id) - sourceX(b.id))
    for (const [index, node] of row.entries()) {
      const column = index % BOXES_PER_ROW
      if (index > 0 && column === 0) y += BOX.height + GAP.box
      placed.push({ node, x: 1 + column * (BOX.width + GAP.box), y })
    }
    y += BOX.height + GAP.row
  }
  return placed
}

/** Space at the right for arrows that lead back. */
const RETURN_WIDTH = 24
/** Length of an arrow's head. */
const HEAD = 7

/**
 * A curve from the bottom of one box to the top of another. It passes to the right of the rows if the target is not
 * below, or if a box is in between.
 */
function edgePath(from: Placed, to: Placed, right: number): string {
  const isHidden = from.x === to.x && to.y - from.y > BOX.height + GAP.row
  if (to.y > from.y && !isHidden) {
    const [x1, x2] = [from.x + BOX.width / 2, to.x + BOX.width / 2]
    const [y1, y2] = [from.y + BOX.height, to.y - HEAD]
    const bend = Math.min((y2 - y1) * 0.7, GAP.row)
    return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
  }
  const [y1, y2] = [from.y + BOX.height / 2, to.y + BOX.height / 2]
  return `M${from.x + BOX.width} ${y1}H${right}V${y2}H${to.x + BOX.width + HEAD}`
}

function nodeBox({ node, x, y }: Placed, locale: Locale): Html {
  const lines = wrapText(node.title, { em: (BOX.width - 24) / TITLE_PX, maxLines: 2, locale })
  const top = lines.length === 1 ? y + 30 : y + 24
  return html`<a href="#${node.target}">
    ${box(`picture-box${node.isPlanned ? ' picture-box-planned' : ''}`, { ...BOX, x, y })}
    ${textLines(lines, { x: x + 12, y: top, step: 18, className: 'picture-name' })}
    <text class="picture-label" x="${x + 12}" y="${y + BOX.height - 12}">${node.kind}</text>
  </a> `
}

/** Boxes with arrows between them, in rows from top to bottom; undefined without an arrow to draw. */
export function graphPicture({
  nodes,
  edges,
  locale,
  ...described
}: GraphOptions): Html | undefined {
  const ids = new Set(nodes.map(({ id }) => id))
  const drawn = edges.filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to))
  if (drawn.length === 0) return undefined
  const placed = placeInRows(nodes, drawn)
  const byId = new Map(placed.map((each) => [each.node.id, each]))
  const arrow = `${described.id}-arrow`
  const width = Math.max(...placed.map(({ x }) => x)) + BOX.width
  return picture({
    ...described,
    width: width + RETURN_WIDTH,
    height: Math.max(...placed.map(({ y }) => y)) + BOX.height + 1,
    content: html`${arrowMarker(arrow)}
    ${drawn.map(({ from, to, isPlanned }) => {
      const [a, b] = [byId.get(from), byId.get(to)]
      if (a === undefined || b === undefined) return undefined
      return html`<path
        class="picture-link${isPlanned ? ' picture-link-planned' : ''}"
        d="${edgePath(a, b, width + RETURN_WIDTH / 2)}"
        marker-end="url(#${arrow})"
      /> `
    })}${placed.map((each) => nodeBox(each, locale))}`,
  })
}
