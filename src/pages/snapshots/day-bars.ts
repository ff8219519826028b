import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { DAY_MS } from '@public-api/contract/text/instant'
import { link } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { countText, listHtml, operatorText, richText } from '../markup/rich-text.ts'
import type { PageContext } from '../page.ts'
import { formatDay, formatDayRange } from '../texts/moments.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]

const DAYS = 90
const BAR = { width: 6, pitch: 9, height: 30 } as const
/** Number of incidents named below the bars of a component. */
const NAMED_INCIDENTS = 3

/** Each kind of day has its own color and height. */
const DAY_KINDS = { none: BAR.height, minor: 20, major: 12, unpublished: 6 } as const

type DayKind = keyof typeof DAY_KINDS

/** Consecutive days of one kind with the same incidents. */
interface Run {
  readonly kind: DayKind
  readonly incidents: readonly Incident[]
  readonly first: number
  last: number
}

const dayOf = (instant: string): number => Math.floor(Date.parse(instant) / DAY_MS) * DAY_MS

function kindOf(incidents: readonly Incident[]): DayKind {
  if (incidents.some(({ impact }) => impact === 'critical' || impact === 'major')) return 'major'
  return incidents.some(({ impact }) => impact === 'minor') ? 'minor' : 'none'
}

/** The days up to today, oldest first. Before the first version and after the publication, nothing was published. */
function runsOf({ facts }: PageContext, { incidents, updatedAt }: Status, id: string) {
  const firstMs = dayOf(facts.version('VS-0001')?.createdAt ?? updatedAt)
  const lastMs = dayOf(updatedAt)
  const runs: Run[] = []
  for (let index = 0; index < DAYS; index += 1) {
    const dayMs = facts.todayMs - (DAYS - 1 - index) * DAY_MS
    const isPublished = dayMs >= firstMs && dayMs <= lastMs
    const onDay = incidents.filter(
      ({ components, startedAt, resolvedAt }) =>
        isPublished &&
        components.includes(id) &&
        Date.parse(startedAt) < dayMs + DAY_MS &&
        (resolvedAt === undefined || Date.parse(resolvedAt) >= dayMs),
    )
    const kind = isPublished ? kindOf(onDay) : 'unpublished'
    const before = runs.at(-1)
    const isSame =
      before?.kind === kind &&
      before.incidents.map((each) => each.id).join() === onDay.map((each) => each.id).join()
    if (before !== undefined && isSame) before.last = index
    else runs.push({ kind, incidents: onDay, first: index, last: index })
  }
  return runs
}

/**
 * A bar for each of the last 90 days, by the published incidents. The tooltip of a day says what was published, and a
 * day with an incident leads to it. The text below has the same facts and links.
 */
export function dayBars(context: PageContext, status: Status, id: string): Html {
  const { locale, texts, facts, content } = context
  const t = texts.status
  const msOf = (index: number): number => facts.todayMs - (DAYS - 1 - index) * DAY_MS
  const runs = runsOf(context, status, id)
  const daysIn = (isCounted: (run: Run) => boolean): number =>
    runs.filter(isCounted).reduce((sum, { first, last }) => sum + last - first + 1, 0)
  const paths = runs.map(({ kind, incidents, first, last }) => {
    const days = Array.from({ length: last - first + 1 }, (_, nth) => {
      const x = (first + nth) * BAR.pitch + BAR.width / 2
      return `M${x} ${BAR.height - DAY_KINDS[kind]}V${BAR.height}`
    })
    const names = incidents.map(({ title }) => title).join(' · ')
    const title = `${formatDayRange(locale, msOf(first), msOf(last))}: ${names === '' ? t.dayKinds[kind] : names}`
    const path = html`<path class="day-${kind}" d="${days.join('')}"
      ><title>${title}</title></path
    > `
    const [incident] = incidents
    return incident === undefined
      ? path
      : html`<a href="#incident-${incident.id}" tabindex="-1">${path}</a> `
  })
  const width = DAYS * BAR.pitch - (BAR.pitch - BAR.width)
  const named = [...new Set(runs.flatMap(({ incidents }) => incidents))].slice(-NAMED_INCIDENTS)
  const count = daysIn(({ kind }) => kind !== 'unpublished')
  return html`<svg
      class="day-bars"
      aria-hidden="true"
      viewBox="0 0 ${width} ${BAR.height}"
      preserveAspectRatio="none"
    >
      ${paths}
    </svg>
    <p class="day-range muted small" data-browser>
      <span>${formatDay(locale, msOf(0))}</span> <span>${formatDay(locale, facts.todayMs)}</span>
    </p>
    <p class="muted small">
      ${countText(locale, t.daysText, count, {
        days: DAYS,
        incidents: new Intl.NumberFormat(locale).format(
          daysIn(({ incidents }) => incidents.length > 0),
        ),
      })}
      ${
        named.length > 0 &&
        richText(t.dayIncidents, {
          incidents: listHtml(
            locale,
            named.map((each) => link(`#incident-${each.id}`, operatorText(content, each.title))),
          ),
        })
      }
    </p>`
}

/** What the bars mean. */
export function dayLegend({ texts }: PageContext): Html {
  return html`<ul class="plain-list day-legend muted small" data-browser>
    ${Object.entries(texts.status.dayKinds).map(
      ([kind, text]) =>
        html`<li>
          <svg class="day-key" aria-hidden="true" viewBox="0 0 6 30">
            <path class="day-${kind}" d="M3 ${BAR.height - DAY_KINDS[kind as DayKind]}V30" />
          </svg>
          ${text}
        </li> `,
    )}
  </ul>`
}
