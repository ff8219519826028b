import type { Incident } from '@public-api/contract/history/published-record'
import { html, type Html } from '../markup/html.ts'
import { richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { labelFor, type StateTone, toneOf } from '../texts/enum-labels.ts'
import { ownFormat } from '../texts/moments.ts'
import { box, picture, widthOf } from './picture.ts'

/** Width that fits on a phone. */
const WIDTH = 328
const ROW = 26
/** Space for half a mark. */
const EDGE = 8
const AXIS_WIDTH = WIDTH - 2 * EDGE
/** Distance between neighboring marks, so that the line below a mark does not cross the next mark. */
const MARK_DISTANCE = 12
const LABEL_PX = 12
/** With more updates the picture is harder to read than their list. */
const MAX_UPDATES = 10

const BARS: { readonly [Each in Incident['impact']]: string } = {
  none: 'picture-none',
  minor: 'picture-warn',
  major: 'picture-bad',
  critical: 'picture-bad',
}

/** The shape of each severity as beside the words of state, drawn from its center; a tick for the start and the end. */
const SHAPES: {
  readonly [Each in StateTone | 'tick']?: readonly [className: string, path: string]
} = {
  tick: ['picture-tick', 'm0-6v12'],
  bad: ['picture-cross', 'm-5-5l10 10m0-10l-10 10'],
  warn: ['picture-warn', 'm0-6l6 11h-12Z'],
  review: ['picture-review', 'm0-6l6 6l-6 6l-6-6Z'],
  good: ['picture-good', 'm-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z'],
}

/** Start, updates and end or now, the oldest first. */
function marksOf({ texts, facts }: PageContext, { startedAt, resolvedAt, updates }: Incident) {
  const t = texts.picture
  const ofUpdates = updates.slice(0, MAX_UPDATES).map(({ at, state }) => ({
    at,
    shape: SHAPES[toneOf('incidentState', state)],
    label: labelFor(texts, 'incidentState', state),
  }))
  const end =
    resolvedAt === undefined
      ? { at: new Date(facts.nowMs).toISOString(), shape: SHAPES.tick, label: t.now }
      : { at: resolvedAt, shape: SHAPES.tick, label: t.incidentEnded }
  return [
    { at: startedAt, shape: SHAPES.tick, label: t.incidentStarted },
    ...ofUpdates,
    end,
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** Separates marks that are closer than MARK_DISTANCE, within the axis. */
function spread(positions: readonly number[]): readonly number[] {
  const spaced: number[] = []
  for (const x of positions) spaced.push(Math.max(x, (spaced.at(-1) ?? -Infinity) + MARK_DISTANCE))
  let limit = EDGE + AXIS_WIDTH
  for (let index = spaced.length - 1; index >= 0; index -= 1) {
    const x = Math.min(spaced[index] ?? limit, limit)
    spaced[index] = x
    limit = x - MARK_DISTANCE
  }
  return spaced
}

/** Beside a mark, on the side with room for it. */
function labelBeside(text: string, x: number, y: number): Html {
  const isLeft = x + 12 + widthOf(text) * LABEL_PX > WIDTH && x > WIDTH / 2
  return html`<text
    class="picture-label picture-over"
    x="${isLeft ? x - 12 : x + 12}"
    y="${y + 4}"
    text-anchor="${isLeft ? 'end' : 'start'}"
    >${text}</text
  >`
}

/**
 * What was published about an incident on a time axis: a bar from its start to its end or to now, and a mark with its
 * time for each update. Undefined if everything happened at one moment.
 */
export function incidentTimeline(context: PageContext, incident: Incident): Html | undefined {
  const { locale, texts } = context
  const t = texts.picture
  const { id, startedAt, resolvedAt, impact } = incident
  const marks = marksOf(context, incident)
  const times = marks.map(({ at }) => Date.parse(at))
  const [startMs, endMs] = [Math.min(...times), Math.max(...times)]
  if (startMs === endMs) return undefined
  const xOf = (timeMs: number): number =>
    EDGE + Math.round(((timeMs - startMs) / (endMs - startMs)) * AXIS_WIDTH)
  const incidentMs = [Date.parse(startedAt), resolvedAt ? Date.parse(resolvedAt) : endMs] as const
  const axisY = marks.length * ROW + 6
  const barX = xOf(incidentMs[0])
  const barWidth = Math.max(2, xOf(incidentMs[1]) - barX)
  const positions = spread(times.map(xOf))
  const placed = marks.map(({ shape, label }, index) => {
    const timeMs = times[index] ?? startMs
    const text = `${ownFormat(locale).format(timeMs)} ${label}`
    return { shape, text, timeMs, x: positions[index] ?? xOf(timeMs), y: index * ROW + 12 }
  })
  return picture({
    id: `timeline-${id}`,
    title: t.incidentTitle,
    description: richText(resolvedAt === undefined ? t.incidentOpen : t.incidentText, {
      impact: labelFor(texts, 'incidentImpact', impact),
    }),
    isImage: true,
    width: WIDTH,
    height: axisY + 14,
    content: html`${box('picture-none', { x: EDGE, y: axisY + 3, width: AXIS_WIDTH, height: 2 }, 0)}
    ${box(BARS[impact], { x: barX, y: axisY, width: barWidth, height: 8 }, 0)}${placed.map(
      ({ timeMs, x, y }) =>
        html`<path
          class="picture-link"
          d="M${x} ${y + 8}V${axisY - 8}L${xOf(timeMs)} ${axisY}"
        /> `,
    )}${placed.map(({ shape = ['picture-none', 'm-5-5h10v10h-10Z'], text, x, y }) => {
      const [className, path] = shape
      return html`<path class="${className}" d="M${x} ${y}${path}" /> ${labelBeside(text, x, y)}`
    })}`,
  })
}
