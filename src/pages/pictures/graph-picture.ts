import type { Locale } from '@public-api/contract/registry/locales'
import { html, type Html } from '../markup/html.ts'
import { arrowMarker, box, picture, type PictureOptions, textLines, wrapText } from './picture.ts'

interface GraphNode {
  readonly id: string
  readonly title: string
  /** A second, muted line. */
  readonly kind: string
  /** Id of the element on the page with the same content as text. */
  readonly target: string
  readonly isPlanned: boolean
}

interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly isPlanned: boolean
}

const BOX = { width: 164, height: 70 } as const
/** Distance between boxes of a row, and between rows. */
const GAP = { box: 14, row: 52 } as const
const TITLE_PX = 16.5
/** Maximum number of boxes that fit side by side on a page. */
const BOXES_PER_ROW = 5
/** Space at the right for arrows that lead back. */
const RETURN_WIDTH = 24
const HEAD = 7

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
  const levelOf = (id: string): number => levels.get(id) ?? 0
  const order = nodes.map(({ id }) => id)
  const sources = new Set(order)
  for (const { to } of edges) sources.delete(to)
  // Only edges that lead forward in the operator's order count, so they form no cycle. Sources have no order.
  const forward = edges.filter(
    ({ from, to }) => sources.has(from) || order.indexOf(from) < order.indexOf(to),
  )
  for (const id of order) {
    for (const { from, to } of forward) {
      if (to === id) levels.set(id, Math.max(levelOf(id), levelOf(from) + 1))
    }
  }
  for (const id of sources) {
    const below = forward.filter(({ from }) => from === id).map(({ to }) => levelOf(to))
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

/** Boxes with arrows between them, in rows from top to bottom; undefined without an arrow to draw. */
export function graphPicture({
  nodes,
  edges,
  locale,
  ...described
}: Pick<PictureOptions, 'id' | 'title' | 'description'> & {
  readonly locale: Locale
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}): Html | undefined {
  const ids = new Set(nodes.map(({ id }) => id))
  const drawn = edges.filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to))
  if (drawn.length === 0) return undefined
  const placed = placeInRows(nodes, drawn)
  const placeOf = (id: string): Placed | undefined => placed.find(({ node }) => node.id === id)
  const arrow = `${described.id}-arrow`
  const width = Math.max(...placed.map(({ x }) => x)) + BOX.width
  const planned = (isPlanned: boolean, className: string): string =>
    isPlanned ? `${className} ${className}-planned` : className
  return picture({
    ...described,
    width: width + RETURN_WIDTH,
    height: Math.max(...placed.map(({ y }) => y)) + BOX.height + 1,
    content: html`${arrowMarker(arrow)}
    ${drawn.map(({ from, to, isPlanned }) => {
      const [a, b] = [placeOf(from), placeOf(to)]
      const path = a && b && edgePath(a, b, width + RETURN_WIDTH / 2)
      const className = planned(isPlanned, 'picture-link')
      return html`<path class="${className}" d="${path}" marker-end="url(#${arrow})" /> `
    })}${placed.map(({ node: { title, kind, target, isPlanned }, x, y }) => {
      const lines = wrapText(title, { em: (BOX.width - 24) / TITLE_PX, maxLines: 2, locale })
      const top = lines.length === 1 ? y + 30 : y + 24
      return html`<a href="#${target}">
        ${box(planned(isPlanned, 'picture-box'), { ...BOX, x, y })}
        ${textLines(lines, { x: x + 12, y: top, step: 18, className: 'picture-name' })}
        <text class="picture-label" x="${x + 12}" y="${y + BOX.height - 12}">${kind}</text>
      </a> `
    })}`,
  })
}
