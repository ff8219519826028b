import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { labelFor, severityOf, type Severity } from './enum-labels.ts'
import { html, type Html, type HtmlValue } from './html.ts'
import type { PageContext } from './page.ts'
import { picture } from './picture.ts'
import { plainText } from './rich-text.ts'

type Incident = SnapshotData<'status'>['incidents'][number]

/** Width of the time axis, and the room for the last label beside it. */
const AXIS = { width: 400, labels: 240 } as const
const ROW = 26
/** Room for half a mark. */
const EDGE = 7
/** More updates than this make a staircase that is harder to read than their list. */
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
  readonly severity: Severity
  readonly label: HtmlValue
}

/** Start, updates and end, the oldest first. */
function marksOf({ texts }: PageContext, incident: Incident): readonly Mark[] {
  const { startedAt, resolvedAt, updates } = incident
  const marks: readonly Mark[] = [
    { at: startedAt, severity: 'bad', label: texts.picture.incidentStarted },
    ...updates.slice(0, MAX_UPDATES).map(({ at, state }): Mark => ({
      at,
      severity: severityOf('incidentState', state),
      label: labelFor(texts, 'incidentState', state),
    })),
    ...(resolvedAt === undefined
      ? []
      : [{ at: resolvedAt, severity: 'good', label: texts.picture.incidentEnded } as const]),
  ]
  return marks.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

/** The shape of a severity around a point: a cross, a triangle or a disc, as beside the words of state. */
function shape(severity: Severity, x: number, y: number): Html {
  if (severity === 'bad') {
    return html`<path class="picture-cross" d="M${x - 5} ${y - 5}l10 10m0-10l-10 10" />`
  }
  if (severity === 'warn') {
    return html`<path class="picture-warn" d="M${x} ${y - 6}l6 11h-12Z" />`
  }
  return html`<circle
    class="${severity === 'good' ? 'picture-good' : 'picture-none'}"
    cx="${x}"
    cy="${y}"
    r="5"
  />`
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
    EDGE + Math.round(((Date.parse(iso) - startMs) / (endMs - startMs)) * AXIS.width)
  const format = timeFormat(locale)
  const timeOf = (iso: string): string => format.format(new Date(iso))
  const axisY = marks.length * ROW + 6
  const barStart = xOf(incident.startedAt)
  return picture({
    id: `timeline-${incident.id}`,
    title: t.incidentTitle,
    description: plainText(incident.resolvedAt === undefined ? t.incidentOpen : t.incidentText, {
      start: timeOf(incident.startedAt),
      end: timeOf(incident.resolvedAt ?? last.at),
      impact: texts.labels.incidentImpact[incident.impact],
    }),
    isImage: true,
    width: AXIS.width + AXIS.labels,
    height: axisY + 14,
    content: html`<rect
        class="picture-none"
        x="${EDGE}"
        y="${axisY + 3}"
        width="${AXIS.width}"
        height="2"
      />
      <rect
        class="${BARS[incident.impact]}"
        x="${barStart}"
        y="${axisY}"
        width="${Math.max(2, xOf(incident.resolvedAt ?? last.at) - barStart)}"
        height="8"
      />${marks.map(({ at, severity, label }, index) => {
        const [x, y] = [xOf(at), index * ROW + 12]
        return html`<path
            class="picture-link"
            d="M${x} ${y + 8}V${axisY}"
          />${shape(severity, x, y)}
          <text class="picture-label" x="${x + 12}" y="${y + 4}">${timeOf(at)} ${label}</text>`
      })}`,
  })
}
