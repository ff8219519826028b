import { Graph, layout } from '@dagrejs/dagre'
import type { Locale } from '@public-api/contract/terms/locales'
import { html, type Html } from '../markup/html.ts'
import {
  arrowMarker,
  box,
  picture,
  type PictureOptions,
  textLines,
  widthOf,
  wrapPictureText,
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
  readonly label: { readonly text: string; readonly target: string; readonly isEnglish: boolean }
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

function labelSize(lines: readonly string[]) {
  return {
    width: Math.max(0, ...lines.map(widthOf)) * LABEL.px,
    height: lines.length * LABEL.line,
  }
}

/** Boxes, edges and labels in their places, by dagre. */
function placed(nodes: readonly NodeBox[], edges: readonly LabeledEdge[], rankdir: 'LR' | 'TB') {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir, ...SPACE })
  for (const { id, height } of nodes) graph.setNode(id, { width: BOX.width, height })
  for (const [index, { from, to, lines }] of edges.entries()) {
    const { width, height } = labelSize(lines)
    graph.setEdge(from, to, { width: width + 10, height, labelpos: 'c' }, String(index))
  }
  layout(graph)
  const places = edges.map(
    ({ from, to }, index) => graph.edge(from, to, String(index)) as EdgePlace,
  )
  return { graph, places }
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
      lines: wrapPictureText(edge.label.text, { em: LABEL.em, maxLines: LABEL.lines, locale }),
    }))
  if (drawn.length === 0) return undefined
  const nodeBoxes = nodes.map((node): NodeBox => {
    const em = (BOX.width - BOX.start - BOX.end) / TITLE.px
    const lines = wrapPictureText(node.title, { em, maxLines: TITLE.lines, locale })
    return { ...node, lines, height: 36 + TITLE.line * Math.max(2, lines.length) }
  })
  const across = placed(nodeBoxes, drawn, 'LR')
  const isWide = (across.graph.graph().width ?? 0) > COLUMN_WIDTH

  function draw(): Html {
    const { graph, places } = isWide ? placed(nodeBoxes, drawn, 'TB') : across
    const { width = 0, height = 0 } = graph.graph()
    const arrow = `${described.id}-arrow`
    const planned = (isPlanned: boolean, className: string): string =>
      isPlanned ? `${className} ${className}-planned` : className
    const placedEdges = drawn.map((edge, index) => ({
      ...edge,
      place: places[index] ?? { x: 0, y: 0, points: [] },
    }))
    // From top to bottom or from left to right, as the boxes are placed.
    const inOrder = nodeBoxes.toSorted((a, b) => {
      const [one, other] = [graph.node(a.id), graph.node(b.id)]
      return isWide ? one.y - other.y || one.x - other.x : one.x - other.x || one.y - other.y
    })
    const titles = new Map(nodes.map((node) => [node.id, node]))
    const narrow = html`<ol class="graph-list plain-list" data-browser>
      ${inOrder.map(({ id, title, kind, target, isPlanned }) => {
        const own = drawn.filter(({ from }) => from === id)
        const flows = own.map(({ to, label }) => {
          const data = html`<a href="#${label.target}">${label.text}</a>`
          return html`<li class="small">
            → <strong>${titles.get(to)?.title}</strong>
            ${label.isEnglish ? html`<span lang="en">${data}</span>` : data}
          </li> `
        })
        // The line beside the flows would join a box without any to the next one.
        return html`<li>
          <p class="${planned(isPlanned, 'graph-box')}">
            <a href="#${target}">${title}</a> <span class="muted small">${kind}</span>
          </p>
          ${
            flows.length > 0 &&
            html`<ul class="plain-list stacked">
              ${flows}
            </ul>`
          }
        </li> `
      })}
    </ol>`
    const labels = placedEdges.map(({ label, lines, place }) => {
      const [x, y] = [Math.round(place.x), Math.round(place.y)]
      const { width: labelWidth, height: labelHeight } = labelSize(lines)
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
      narrow,
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

  // A layout takes milliseconds, and the second one has a turn of its own.
  return html`${draw}`
}
