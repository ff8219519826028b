import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { DAY_MS, startOfDay } from '@public-api/contract/text/instant'
import { eventPath, pathOfPage } from '../addresses.ts'
import { html, type Html, type HtmlValue } from '../markup/html.ts'
import { countText, plainText, richText, sentencesHtml } from '../markup/rich-text.ts'
import { type PageContext } from '../page.ts'
import { formatDay, formatDayRange } from '../texts/moments.ts'
import type { Texts } from '../texts/texts.ts'
import { eventLink, type StatusEvent, worstImpact } from './status-events.ts'

type Status = SnapshotData<'status'>

const DAYS = 90
const BAR = { width: 6, pitch: 9, height: 30 } as const
/** Each kind of day has its own color and height in the style sheet: the worst is the highest. */
type DayKind = keyof Texts['status']['dayKinds']

/** Consecutive days of one kind with the same incidents. */
interface Run {
  readonly kind: DayKind
  readonly incidents: readonly StatusEvent[]
  readonly firstMs: number
  days: number
}

/** Kinds of days with a record, the worst last. */
const RECORDED_KINDS = ['none', 'minor', 'major'] as const satisfies readonly DayKind[]
const IMPACT_KINDS = { none: 'none', minor: 'minor', major: 'major', critical: 'major' } as const
const STATE_KINDS = {
  operational: 'none',
  maintenance: 'none',
  degraded: 'minor',
  partial_outage: 'major',
  major_outage: 'major',
} as const

/**
 * The days up to today, oldest first, from the first one with a record. A day has a record from the first version with
 * the component: what was the newest version then covers it, however long ago its status was reviewed. An earlier day
 * has one where an incident was recorded, which may have been imported. A day is as bad as the worst that was published
 * of it: an incident, or a state of the component without one.
 */
function runsOf(
  { facts }: PageContext,
  { updatedAt }: Status,
  id: string,
  incidents: readonly StatusEvent[],
) {
  const firstMs = startOfDay(Date.parse(facts.record.components.get(id)?.firstAt ?? updatedAt))
  const troubles = facts.record.troubles.get(id) ?? []
  const runs: Run[] = []
  for (let index = DAYS - 1; index >= 0; index -= 1) {
    const dayMs = facts.todayMs - index * DAY_MS
    const onDay = incidents.filter(
      ({ startMs, endMs }) => startMs < dayMs + DAY_MS && endMs >= dayMs,
    )
    const impact = worstImpact(onDay)
    const isPublished = dayMs >= firstMs
    const kinds = new Set<DayKind>([
      ...(impact === undefined ? [] : [IMPACT_KINDS[impact]]),
      ...troubles
        .filter(
          ({ from, until }) =>
            isPublished &&
            Date.parse(from) < dayMs + DAY_MS &&
            (until === undefined || Date.parse(until) >= dayMs),
        )
        .map(({ state }) => STATE_KINDS[state]),
      ...(isPublished ? ['none' as const] : []),
    ])
    const kind = RECORDED_KINDS.findLast((each) => kinds.has(each)) ?? 'unrecorded'
    const before = runs.at(-1)
    if (before === undefined && kind === 'unrecorded') continue
    const isSame =
      before?.kind === kind &&
      before.incidents.map((each) => each.id).join() === onDay.map((each) => each.id).join()
    if (before !== undefined && isSame) before.days += 1
    else runs.push({ kind, incidents: onDay, firstMs: dayMs, days: 1 })
  }
  return runs
}

/** The incidents that the bars of any component may show: those of the last 90 days. */
export function incidentsOfBars(
  { facts }: PageContext,
  events: readonly StatusEvent[],
): readonly StatusEvent[] {
  const fromMs = facts.todayMs - (DAYS - 1) * DAY_MS
  return events.filter(({ incident, endMs }) => incident !== undefined && endMs >= fromMs)
}

/** A dashed line at the lower edge, of which each dash is a day. The picture cuts off the lower half of the line. */
const line = (x: number, days: number): string => `M${x} ${BAR.height}h${days * BAR.pitch}`

const dashes = (kind: DayKind, lines: string, content?: HtmlValue): Html =>
  html`<path class="day-${kind}" d="${lines}">${content}</path>`

const placeOf = ({ firstMs }: Run, fromMs: number): number =>
  ((firstMs - fromMs) / DAY_MS) * BAR.pitch

/**
 * What the bars of a component have: tooltips and links, links only, or neither. A page of many components stays small, and
 * its incidents are on the pages of the months.
 */
export type BarDetail = 'tooltips' | 'links' | 'none'

/** All days of one kind in one path. */
function briefBars(runs: readonly Run[], fromMs: number): readonly Html[] {
  const recorded = runs.filter(({ kind }) => kind !== 'unrecorded')
  return Array.from(
    Map.groupBy(recorded, ({ kind }) => kind),
    ([kind, own]) => dashes(kind, own.map((run) => line(placeOf(run, fromMs), run.days)).join('')),
  )
}

function runBars(
  { locale, texts }: PageContext,
  run: Run,
  fromMs: number,
  detail: BarDetail,
): HtmlValue {
  const { kind, incidents, firstMs, days } = run
  // The line below all bars.
  if (kind === 'unrecorded') return undefined
  const names = incidents.map(({ title }) => title).join(' · ')
  const range = formatDayRange(locale, firstMs, firstMs + (days - 1) * DAY_MS)
  const what = names === '' ? texts.status.dayKinds[kind] : names
  const path = dashes(
    kind,
    line(placeOf(run, fromMs), days),
    detail === 'tooltips' ? html`<title>${range}: ${what}</title>` : undefined,
  )
  const incident = incidents.find(({ removed }) => removed === undefined)
  return incident === undefined
    ? path
    : html`<a href="${pathOfPage(locale, eventPath(incident))}" tabindex="-1">${path}</a>`
}

/**
 * A bar for each of the last 90 days, or for each since the record began, by `recent` (`incidentsOfBars`). The
 * tooltip of a day says what was published, and a day with an incident leads to it. The text below has the same facts and
 * the newest incident; where all days are usual it is for screen readers alone.
 */
export function dayBars(
  context: PageContext,
  status: Status,
  id: string,
  recent: readonly StatusEvent[],
  detail: BarDetail,
): Html {
  const { locale, texts, facts } = context
  const t = texts.status
  const incidents = recent.filter(({ components }) => components.includes(id))
  const runs = runsOf(context, status, id, incidents)
  const [first] = runs
  if (first === undefined) return html`<p>${t.dayKinds.unrecorded}</p>`
  const fromMs = first.firstMs
  const shownDays = Math.round((facts.todayMs - fromMs) / DAY_MS) + 1
  const daysIn = (isCounted: (run: Run) => boolean): number =>
    runs.filter(isCounted).reduce((sum, { days }) => sum + days, 0)
  const width = shownDays * BAR.pitch - (BAR.pitch - BAR.width)
  const newest = runs
    .flatMap((run) => run.incidents)
    .findLast(({ removed }) => removed === undefined)
  const [eventful = [], calm = []] = [true, false].map((isEventful) =>
    runs.filter((run) => run.incidents.length > 0 === isEventful),
  )
  const count = daysIn(({ kind }) => kind !== 'unrecorded')
  // A record with a gap does not last since its first day.
  const isWhole = shownDays < DAYS && count === shownDays
  const troubleDays = daysIn(
    (run) => run.incidents.length > 0 || run.kind === 'minor' || run.kind === 'major',
  )
  // The bars show it, too.
  const isUsual = count === DAYS && troubleDays === 0
  return html`<svg
      class="day-bars"
      aria-hidden="true"
      viewBox="0 0 ${width} ${BAR.height}"
      preserveAspectRatio="none"
      width="${Math.max(2, Math.round((shownDays / DAYS) * 100))}%"
    >
      ${dashes('unrecorded', line(0, shownDays))}${
        detail !== 'tooltips' && briefBars(detail === 'links' ? calm : runs, fromMs)
      }${
        // A day with an incident leads to it.
        (detail === 'tooltips' ? runs : detail === 'links' ? eventful : []).map((run) =>
          runBars(context, run, fromMs, detail),
        )
      }
    </svg>
    <p ${isUsual && html`class="hidden-text"`}>
      ${sentencesHtml(locale, [
        // The legend says of which days.
        (isUsual || count < DAYS) &&
          countText(locale, isWhole ? t.daysSince : t.daysText, count, {
            days: shownDays,
            since: formatDay(locale, fromMs),
          }),
        plainText(t.troubleDays, { days: new Intl.NumberFormat(locale).format(troubleDays) }),
        newest !== undefined &&
          detail !== 'none' &&
          richText(t.newestIncident, { incident: eventLink(context, newest) }),
      ])}
    </p>`
}

/** The days of the bars, and what they mean. */
export function dayLegend({ locale, texts, facts }: PageContext): Html {
  return html`<ul class="plain-list day-legend row muted small" data-browser>
    <li>${formatDayRange(locale, facts.todayMs - (DAYS - 1) * DAY_MS, facts.todayMs)}</li>
    ${Object.entries(texts.status.dayKinds).map(
      ([kind, text]) =>
        html`<li>
          <svg class="day-key" aria-hidden="true" viewBox="0 0 6 ${BAR.height}">
            <path class="day-${kind}" d="M0 ${BAR.height}h6" />
          </svg>
          ${text}
        </li> `,
    )}
  </ul>`
}
