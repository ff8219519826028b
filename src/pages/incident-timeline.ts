import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { labelFor, type Severity, severityOf } from './enum-labels.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import type { PageContext } from './page.ts'
import { picture, widthOf } from './picture.ts'
import { plainText } from './rich-text.ts'

type Incident = SnapshotData<'status'>['incidents'][number]

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

/** Class of the bar by impact. */
const BARS: { readonly [Each in Incident['impact']]: string } = {
  none: 'picture-none',
  minor: 'picture-warn',
  major: 'picture-bad',
  critical: 'picture-bad',
}

interface Mark {
  readonly at: string
  /** Undefined: the start or the end. */
  readonly severity?: Severity
  readonly label: HtmlValue
}

/** Start, updates and end, the oldest first. */
function marksOf({ texts }: PageContext, incident: Incident): readonly Mark[] {
  const { startedAt, resolvedAt, updates } = incident
  const marks: readonly Mark[] = [
    { at: startedAt, label: texts.picture.incidentStarted },
    ...updates.slice(0, MAX_UPDATES).map(({ at, state }): Mark => ({
      at,
      severity: severityOf('incidentState', state),
      label: labelFor(texts, 'incidentState', state),
    })),
    ...(resolvedAt === undefined ? [] : [{ at: resolvedAt, label: texts.picture.incidentEnded }]),
  ]
  return marks.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** The shape of each severity as beside the words of state, drawn from its center; a tick for the start and the end. */
const SHAPES: {
  readonly [Each in Severity | 'tick']?: readonly [className: string, path: string]
} = {
  tick: ['picture-tick', 'm0-6v12'],
  bad: ['picture-cross', 'm-5-5l10 10m0-10l-10 10'],
  warn: ['picture-warn', 'm0-6l6 11h-12Z'],
  review: ['picture-review', 'm0-6l6 6l-6 6l-6-6Z'],
  good: ['picture-good', 'm-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z'],
}

function shape(severity: Severity | undefined, x: number, y: number): Html {
  const [className, path] = SHAPES[severity ?? 'tick'] ?? ['picture-none', 'm-5-5h10v10h-10Z']
  return html`<path class="${className}" d="M${x} ${y}${path}" />`
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
function labelBeside(time: string, label: HtmlValue, x: number, y: number): Html {
  const text = typeof label === 'string' ? `${time} ${label}` : time
  const isLeft = x + 12 + widthOf(text) * LABEL_PX > WIDTH && x > WIDTH / 2
  return html`<text
    class="picture-label picture-over"
    x="${isLeft ? x - 12 : x + 12}"
    y="${y + 4}"
    text-anchor="${isLeft ? 'end' : 'start'}"
    >${time} ${label}</text
  >`
}

function timeFormat(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, {
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  })
}

/**
 * What was published about an incident on a time axis: a bar from its start to its end, and a mark with its time for
 * each update. Undefined if everything happened at one moment.
 */
export function incidentTimeline(context: PageContext, incident: Incident): Html | undefined {
  const { locale, texts } = context
  const t = texts.picture
  const marks = marksOf(context, incident)
  const [first, last] = [marks[0], marks.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const [startMs, endMs] = [Date.parse(first.at), Date.parse(last.at)]
  if (startMs === endMs) return undefined
  const xOf = (iso: string): number =>
    EDGE + Math.round(((Date.parse(iso) - startMs) / (endMs - startMs)) * AXIS_WIDTH)
  const format = timeFormat(locale)
  const timeOf = (iso: string): string => format.format(new Date(iso))
  const axisY = marks.length * ROW + 6
  const barStart = xOf(incident.startedAt)
  const positions = spread(marks.map(({ at }) => xOf(at)))
  const placed = marks.map((mark, index) => ({
    ...mark,
    x: positions[index] ?? xOf(mark.at),
    y: index * ROW + 12,
  }))
  return picture({
    id: `timeline-${incident.id}`,
    title: t.incidentTitle,
    description: plainText(incident.resolvedAt === undefined ? t.incidentOpen : t.incidentText, {
      start: timeOf(incident.startedAt),
      end: timeOf(incident.resolvedAt ?? last.at),
      impact: texts.labels.incidentImpact[incident.impact],
    }),
    isImage: true,
    width: WIDTH,
    height: axisY + 14,
    content: html`<rect
        class="picture-none"
        x="${EDGE}"
        y="${axisY + 3}"
        width="${AXIS_WIDTH}"
        height="2"
      />
      <rect
        class="${BARS[incident.impact]}"
        x="${barStart}"
        y="${axisY}"
        width="${Math.max(2, xOf(incident.resolvedAt ?? last.at) - barStart)}"
        height="8"
      />${placed.map(
        ({ at, x, y }) =>
          html`<path class="picture-link" d="M${x} ${y + 8}V${axisY - 8}L${xOf(at)} ${axisY}" /> `,
      )}${placed.map(
        ({ at, x, y, severity, label }) =>
          html`${shape(severity, x, y)} ${labelBeside(timeOf(at), label, x, y)}`,
      )}`,
  })
}
