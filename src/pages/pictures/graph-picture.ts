import { Graph, layout } from '@dagrejs/dagre'
import type { Locale } from '@public-api/contract/registry/locales'
import { html, type Html } from '../markup/html.ts'
import {
  arrowMarker,
  box,
  picture,
  type PictureOptions,
  textLines,
  widthOf,
  wrapText,
} from './picture.ts'

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
  /** What the edge carries, and the id of the element on the page that says it in full. */
  readonly label?: { readonly text: string; readonly target: string; readonly isEnglish: boolean }
}

const BOX = { width: 160, start: 12, end: 2 } as const
/** Text of 14 px in the widest bold face. */
const TITLE = { px: 17, line: 17, lines: 3 } as const
const LABEL = { px: 12.5, em: 11.6, line: 14, lines: 3 } as const
/** Distances between boxes of a rank, between ranks, and between edges. */
const SPACE = { nodesep: 10, ranksep: 40, edgesep: 10, marginx: 8, marginy: 8 } as const
/** Width of the text column beside the contents. A wider picture runs from top to bottom. */
const COLUMN_WIDTH = 912

interface Point {
  readonly x: number
  readonly y: number
}

/** The center of the label of an edge, and the points on its way. */
interface EdgePlace extends Point {
  readonly points: readonly Point[]
}

type LabeledEdge = GraphEdge & { readonly lines: readonly string[] }

/** A box with the lines of its title. */
type NodeBox = GraphNode & { readonly lines: readonly string[]; readonly height: number }

/** Shares of the edges that dagre sees last: it orders a rank by what it saw first, and one order crosses less than another. */
const TURNS = [0, 1 / 2, 1 / 4, 3 / 4]

interface Rectangle {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function rectangle({ x, y }: Point, width: number, height: number): Rectangle {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 }
}

/** On which side of the line through two points a third is. */
function side(from: Point, to: Point, point: Point): number {
  return Math.sign((to.x - from.x) * (point.y - from.y) - (to.y - from.y) * (point.x - from.x))
}

function doCross([a, b]: readonly [Point, Point], [c, d]: readonly [Point, Point]): boolean {
  return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0
}

function doesPass([from, to]: readonly [Point, Point], { left, right, top, bottom }: Rectangle) {
  const diagonals = [
    [
      { x: left, y: top },
      { x: right, y: bottom },
    ],
    [
      { x: right, y: top },
      { x: left, y: bottom },
    ],
  ] as const
  return diagonals.some((diagonal) => doCross([from, to], diagonal))
}

function segmentsOf({ points }: EdgePlace): readonly (readonly [Point, Point])[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1]
    return next === undefined ? [] : [[point, next] as const]
  })
}

function labelSize(lines: readonly string[]) {
  return {
    width: Math.max(0, ...lines.map(widthOf)) * LABEL.px,
    height: lines.length * LABEL.line,
  }
}

/** The edges that lead back to a box on the way to them, in the operator's order: dagre ranks the others. */
function backEdges(
  nodes: readonly GraphNode[],
  edges: readonly LabeledEdge[],
): ReadonlySet<LabeledEdge> {
  const back = new Set<LabeledEdge>()
  const visited = new Set<string>()
  const onWay = new Set<string>()
  const visit = (id: string): void => {
    if (visited.has(id)) return
    visited.add(id)
    onWay.add(id)
    for (const edge of edges.filter(({ from }) => from === id)) {
      if (onWay.has(edge.to)) back.add(edge)
      else visit(edge.to)
    }
    onWay.delete(id)
  }
  for (const { id } of nodes) visit(id)
  return back
}

/** Boxes, edges and labels in their places, by dagre: no label covers a box, and no two edges share a line. */
function placed(
  nodes: readonly NodeBox[],
  edges: readonly LabeledEdge[],
  rankdir: 'LR' | 'TB',
  turn: number,
) {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir, ...SPACE })
  for (const { id, height } of nodes) graph.setNode(id, { width: BOX.width, height })
  const back = backEdges(nodes, edges)
  const first = Math.floor(turn * edges.length)
  const ordered = [...edges.entries()]
  for (const [index, edge] of [...ordered.slice(first), ...ordered.slice(0, first)]) {
    const { from, to, lines } = edge
    const { width, height } = labelSize(lines)
    const [source, target] = back.has(edge) ? [to, from] : [from, to]
    graph.setEdge(
      source,
      target,
      lines.length === 0 ? {} : { width: width + 10, height, labelpos: 'c' },
      String(index),
    )
  }
  layout(graph)
  const places = edges.map((edge, index): EdgePlace => {
    const [source, target] = back.has(edge) ? [edge.to, edge.from] : [edge.from, edge.to]
    const { x, y, points } = graph.edge(source, target, String(index)) as EdgePlace
    return { x, y, points: back.has(edge) ? points.toReversed() : points }
  })
  return { graph, places }
}

/** Whether every line keeps clear of the labels of others, and of the boxes between which it does not run. */
function isClear({ graph, places }: ReturnType<typeof placed>, edges: readonly LabeledEdge[]) {
  const boxes = (graph.nodes() as readonly string[]).map((id) => {
    const node = graph.node(id) as Point & { readonly width: number; readonly height: number }
    return { id, area: rectangle(node, node.width, node.height) }
  })
  const labels = places.map((place, index) => {
    const { width, height } = labelSize(edges[index]?.lines ?? [])
    return rectangle(place, width, height)
  })
  return places.every((place, index) => {
    const { from, to } = edges[index] ?? {}
    const others = [
      ...labels.filter((_, other) => other !== index),
      ...boxes.filter(({ id }) => id !== from && id !== to).map(({ area }) => area),
    ]
    return segmentsOf(place).every((segment) => others.every((area) => !doesPass(segment, area)))
  })
}

/** The first clear layout: from left to right if that fits beside the contents, else from top to bottom. */
function bestPlaced(nodes: readonly NodeBox[], edges: readonly LabeledEdge[]) {
  const across = placed(nodes, edges, 'LR', 0)
  if ((across.graph.graph().width ?? 0) <= COLUMN_WIDTH) return across
  const [usual, ...others] = TURNS.map((turn) => () => placed(nodes, edges, 'TB', turn))
  const down = usual?.() ?? across
  if (isClear(down, edges)) return down
  for (const other of others) {
    const turned = other()
    if (isClear(turned, edges)) return turned
  }
  return down
}

/** A curve along the points of an edge, through the middles between them. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points.map(({ x, y }) => ({ x: Math.round(x), y: Math.round(y) }))
  if (first === undefined) return ''
  const parts = rest.map((point, index) => {
    const next = rest[index + 1]
    if (next === undefined) return `L${point.x} ${point.y}`
    const [x, y] = [Math.round((point.x + next.x) / 2), Math.round((point.y + next.y) / 2)]
    return `Q${point.x} ${point.y} ${x} ${y}`
  })
  return `M${first.x} ${first.y}${parts.join('')}`
}

/**
 * Boxes with labeled arrows between them, from left to right where that fits beside the contents, else from top to
 * bottom; undefined without an arrow to draw.
 */
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
  const drawn = edges
    .filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to))
    .map((edge) => ({
      ...edge,
      lines:
        edge.label === undefined
          ? []
          : wrapText(edge.label.text, { em: LABEL.em, maxLines: LABEL.lines, locale }),
    }))
  if (drawn.length === 0) return undefined
  const nodeBoxes = nodes.map((node): NodeBox => {
    const em = (BOX.width - BOX.start - BOX.end) / TITLE.px
    const lines = wrapText(node.title, { em, maxLines: TITLE.lines, locale })
    return { ...node, lines, height: 36 + TITLE.line * Math.max(2, lines.length) }
  })
  const { graph, places } = bestPlaced(nodeBoxes, drawn)
  const { width = 0, height = 0 } = graph.graph()
  const arrow = `${described.id}-arrow`
  const planned = (isPlanned: boolean, className: string): string =>
    isPlanned ? `${className} ${className}-planned` : className
  const placedEdges = drawn.map((edge, index) => ({
    ...edge,
    place: places[index] ?? { x: 0, y: 0, points: [] },
  }))
  const labels = placedEdges.map(({ label, lines, place }) => {
    if (label === undefined) return undefined
    const [x, y] = [Math.round(place.x), Math.round(place.y)]
    const [labelWidth, labelHeight] = [
      Math.max(...lines.map(widthOf)) * LABEL.px,
      lines.length * LABEL.line,
    ]
    const top = y - labelHeight / 2
    const text = textLines(lines, {
      x,
      y: top + LABEL.line - 3,
      step: LABEL.line,
      className: 'picture-label',
    })
    const back = {
      x: Math.round(x - labelWidth / 2),
      y: top,
      width: Math.round(labelWidth),
      height: labelHeight,
    }
    return html`<a class="picture-edge" href="#${label.target}"
      >${box('picture-paper', back, 0)}${label.isEnglish ? html`<g lang="en">${text}</g>` : text}</a
    > `
  })
  const boxes = nodeBoxes.map(({ id, lines, height: boxHeight, kind, target, isPlanned }) => {
    const node = graph.node(id)
    const [left, y] = [Math.round(node.x - BOX.width / 2), Math.round(node.y - boxHeight / 2)]
    const x = left + BOX.start
    const top = lines.length === 1 ? y + 30 : y + 24
    return html`<a href="#${target}">
      ${box(planned(isPlanned, 'picture-box'), { x: left, y, width: BOX.width, height: boxHeight })}
      ${textLines(lines, { x, y: top, step: TITLE.line, className: 'picture-name' })}
      <text class="picture-label" x="${x}" y="${y + boxHeight - 12}">${kind}</text>
    </a> `
  })
  return picture({
    ...described,
    width: Math.ceil(width),
    height: Math.ceil(height),
    content: html`${arrowMarker(arrow)}
    ${placedEdges.map(
      ({ isPlanned, place }) =>
        html`<path
          class="${planned(isPlanned, 'picture-link')}"
          d="${curve(place.points)}"
          marker-end="url(#${arrow})"
        /> `,
    )}${labels}${boxes}`,
  })
}
