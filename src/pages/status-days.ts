import { DAY_MS } from '../contract/instant.ts'
import type { SnapshotData } from '../contract/snapshot-schemas.ts'
import { html, type Html } from './html.ts'
import { formatDay } from './moments.ts'
import type { PageContext } from './page.ts'
import { box } from './picture.ts'
import { countText } from './rich-text.ts'

type Status = SnapshotData<'status'>

/** Number of days that the bars show. */
const DAYS = 45
const BAR = { width: 6, gap: 3, height: 30 } as const
const WIDTH = DAYS * (BAR.width + BAR.gap)

/** A day of a component by the worst impact of its incidents. Each state has its own color and height. */
const STATES = {
  before: { className: 'picture-none', height: 6 },
  none: { className: 'picture-good', height: BAR.height },
  minor: { className: 'picture-warn', height: 20 },
  major: { className: 'picture-bad', height: 12 },
} as const

/** The worst impact on a component on one day, from the published incidents. */
function stateOfDay({ incidents }: Status, id: string, dayMs: number): keyof typeof STATES {
  const onDay = incidents.filter(
    ({ components, startedAt, resolvedAt }) =>
      components.includes(id) &&
      Date.parse(startedAt) < dayMs + DAY_MS &&
      (resolvedAt === undefined || Date.parse(resolvedAt) >= dayMs),
  )
  if (onDay.some(({ impact }) => impact === 'critical' || impact === 'major')) return 'major'
  return onDay.some(({ impact }) => impact === 'minor') ? 'minor' : 'none'
}

/**
 * A bar for each day up to the publication: full without incidents, shorter with an incident, minimal before the record
 * began.
 */
export function dayBars({ locale, texts, facts }: PageContext, status: Status, id: string): Html {
  const endMs = Math.floor(Date.parse(status.updatedAt) / DAY_MS) * DAY_MS
  const recordMs = Date.parse(facts.version('VS-0001')?.createdAt ?? status.updatedAt)
  const states = Array.from({ length: DAYS }, (_, index) => {
    const dayMs = endMs - (DAYS - 1 - index) * DAY_MS
    return dayMs + DAY_MS <= recordMs ? 'before' : stateOfDay(status, id, dayMs)
  })
  const recorded = states.filter((state) => state !== 'before')
  const withIncident = recorded.filter((state) => state !== 'none').length
  const label = countText(locale, texts.status.daysText, recorded.length, {
    from: formatDay(locale, endMs - (recorded.length - 1) * DAY_MS),
    to: formatDay(locale, endMs),
    incidents: new Intl.NumberFormat(locale).format(withIncident),
  })
  return html`<svg
      class="day-bars"
      role="img"
      aria-label="${label}"
      viewBox="0 0 ${WIDTH} ${BAR.height}"
      width="${WIDTH}"
      height="${BAR.height}"
    >
      ${states.map((state, index) => {
        const { className, height } = STATES[state]
        const [x, y] = [index * (BAR.width + BAR.gap), BAR.height - height]
        return box(className, { x, y, width: BAR.width, height }, 1)
      })}
    </svg>
    <p class="muted small">${label}</p>`
}
