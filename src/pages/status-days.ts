import { DAY_MS } from '../contract/instant.ts'
import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { html, type Html } from './html.ts'
import type { PageContext } from './page.ts'
import { box } from './picture.ts'
import { countText } from './rich-text.ts'

type Status = SnapshotData<'status'>

/** Number of days that the bars show. */
const DAYS = 45
const BAR = { width: 6, gap: 3, height: 30 } as const

const IMPACTS = ['none', 'minor', 'major', 'critical'] as const
type DayState = 'before' | 'clear' | 'minor' | 'major'

/** The worst impact on a component on one day, from the published incidents. */
function stateOfDay(
  status: Status,
  componentId: string,
  dayMs: number,
  recordMs: number,
): DayState {
  if (dayMs + DAY_MS <= recordMs) return 'before'
  const impacts = status.incidents
    .filter(
      ({ components, startedAt, resolvedAt }) =>
        components.includes(componentId) &&
        Date.parse(startedAt) < dayMs + DAY_MS &&
        (resolvedAt === undefined || Date.parse(resolvedAt) >= dayMs),
    )
    .map(({ impact }) => IMPACTS.indexOf(impact))
  const worst = Math.max(0, ...impacts)
  if (worst === 0) return 'clear'
  return worst === 1 ? 'minor' : 'major'
}

/** Each state has its own color and height. */
const SHAPES: { readonly [State in DayState]: readonly [className: string, height: number] } = {
  before: ['picture-none', 6],
  clear: ['picture-good', BAR.height],
  minor: ['picture-warn', 20],
  major: ['picture-bad', 12],
}

/**
 * A bar for each day up to the publication: full without incidents, shorter with an incident, minimal before the record
 * began.
 */
export function dayBars(
  { locale, texts, facts }: PageContext,
  status: Status,
  componentId: string,
): Html {
  const t = texts.status
  const endMs = Math.floor(Date.parse(status.updatedAt) / DAY_MS) * DAY_MS
  const recordMs = Date.parse(facts.version('VS-0001')?.createdAt ?? status.updatedAt)
  const states = Array.from({ length: DAYS }, (_, index) =>
    stateOfDay(status, componentId, endMs - (DAYS - 1 - index) * DAY_MS, recordMs),
  )
  const withIncident = states.filter((state) => state === 'minor' || state === 'major').length
  const recorded = states.filter((state) => state !== 'before').length
  const width = DAYS * (BAR.width + BAR.gap)
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const label = countText(locale, t.daysText, recorded, {
    from: day.format(endMs - (recorded - 1) * DAY_MS),
    to: day.format(endMs),
    incidents: new Intl.NumberFormat(locale).format(withIncident),
  })
  return html`<svg
      class="day-bars"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${width} ${BAR.height}"
      width="${width}"
      height="${BAR.height}"
    >
      ${states.map((state, index) => {
        const [className, height] = SHAPES[state]
        const { width: barWidth, gap } = BAR
        const bar = { x: index * (barWidth + gap), y: BAR.height - height, width: barWidth, height }
        return box(className, bar, 1)
      })}
    </svg>
    <p class="muted small">${label}</p>`
}
