import { pathOfPage } from '../addresses.ts'
import { anchor, link, pageLink } from '../markup/elements.ts'
import { html, type Html } from '../markup/html.ts'
import { plainText } from '../markup/rich-text.ts'
import { type Page, type PageContext } from '../page.ts'
import { formatMonth } from '../texts/moments.ts'
import { shownLanguageNote } from './snapshot-sections.ts'
import { eventList, isOpen, type StatusEvent, statusEvents } from './status-events.ts'

/** Number of incidents and maintenances on one page: a month with more has several pages. */
const PER_PAGE = 40
/** Number of months that the status page links to. The oldest leads to the ones before. */
const LISTED_MONTHS = 12
/** Longer than any incident, so that a mistyped year makes no thousands of months. */
const MAX_MONTHS = 240

/** The month of an instant in UTC: `2026-10`. */
const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

/** The months that events touch, each with its events; the newest first. */
function eventMonths(
  { facts }: Pick<PageContext, 'facts'>,
  events: readonly StatusEvent[],
): ReadonlyMap<string, readonly StatusEvent[]> {
  const months = new Map<string, StatusEvent[]>()
  for (const event of events) {
    const { startMs, endMs } = event
    const last = monthOf(Number.isFinite(endMs) ? endMs : Math.max(startMs, facts.todayMs))
    let month = monthOf(startMs)
    for (let count = 0; count < MAX_MONTHS && month <= last; count += 1) {
      const known = months.get(month)
      if (known === undefined) months.set(month, [event])
      else known.push(event)
      if (month === last) break
      const [year, index] = month.split('-').map(Number)
      month = monthOf(Date.UTC(year ?? 0, index ?? 0))
    }
  }
  return new Map([...months].toSorted(([a], [b]) => (a < b ? 1 : -1)))
}

const monthPath = (month: string, part = 1): string =>
  part === 1 ? `status/${month}` : `status/${month}/${part}`

const monthText = ({ locale }: PageContext, month: string): string =>
  formatMonth(locale, `${month}-01T00:00:00Z`)

/** Links to the months with incidents and maintenances; nothing without one. */
export function monthLinks(context: PageContext, events: readonly StatusEvent[]): Html | undefined {
  const { locale, texts, facts } = context
  const months = [...eventMonths(context, events)]
  if (months.length === 0) return undefined
  // History begins with this month; what is planned follows it.
  const isAhead = ([month]: readonly [string, unknown]): boolean => month > monthOf(facts.todayMs)
  const listed = [
    ...months.filter((each) => !isAhead(each)).slice(0, LISTED_MONTHS),
    ...months.filter(isAhead).toReversed().slice(0, LISTED_MONTHS),
  ]
  return html`<h3 id="months">${anchor('months', texts.status.months)}</h3>
    <ul class="plain-list links">
      ${listed.map((each) => {
        const [month, ofMonth] = each
        const ahead = isAhead(each) ? ofMonth.filter(isOpen).length : 0
        const count = new Intl.NumberFormat(locale).format(ahead === 0 ? ofMonth.length : ahead)
        // What was cancelled or removed is planned no more.
        const planned = ahead > 0 && `${texts.labels.maintenanceState.scheduled}: `
        return html`<li>
          ${link(pathOfPage(locale, monthPath(month)), monthText(context, month))}
          <span class="muted">(${planned}${count})</span>
        </li> `
      })}
    </ul>`
}

/** Paths of the pages of all months, below the locale. */
export function monthPaths(context: PageContext): readonly string[] {
  return Array.from(eventMonths(context, statusEvents(context)), ([month, { length }]) =>
    Array.from({ length: Math.ceil(length / PER_PAGE) }, (_, index) => monthPath(month, index + 1)),
  ).flat()
}

/** The incidents and maintenances that touch a month, or a part of them. Undefined for a month or part without any. */
export function monthPage(context: PageContext, month: string, part: number): Page | undefined {
  const { locale, texts } = context
  const t = texts.status
  const months = eventMonths(context, statusEvents(context))
  const ofMonth = months.get(month) ?? []
  const parts = Math.ceil(ofMonth.length / PER_PAGE)
  if (part < 1 || part > parts) return undefined
  const name = { month: monthText(context, month) }
  const keys = [...months.keys()]
  const place = keys.indexOf(month)
  const neighbor = (other: string | undefined, rel: string) =>
    other !== undefined &&
    html`<a href="${pathOfPage(locale, monthPath(other))}" rel="${rel}"
      >${monthText(context, other)}</a
    > `
  return {
    path: monthPath(month, part),
    parent: 'status',
    isOfStatus: true,
    isOfEvents: true,
    feeds: ['status'],
    title: () => plainText(t.monthTitle, name),
    description: () => plainText(t.monthDescription, name),
    body(own) {
      const list = eventList(own, ofMonth.slice((part - 1) * PER_PAGE, part * PER_PAGE))
      return {
        main: html`<p class="eyebrow">${link(pathOfPage(locale, 'status'), t.title)}</p>
          <h1>${plainText(t.monthTitle, name)}</h1>
          ${shownLanguageNote(own, list)}
          <nav class="actions" aria-label="${t.months}">
            ${neighbor(keys[place + 1], 'prev')} ${neighbor(keys[place - 1], 'next')}
          </nav>
          ${list}
          ${
            parts > 1 &&
            html`<nav class="actions" aria-label="${t.parts}">
              ${Array.from({ length: parts }, (_, index) =>
                pageLink(
                  pathOfPage(locale, monthPath(month, index + 1)),
                  String(index + 1),
                  index + 1 === part && 'page',
                ),
              )}
            </nav>`
          }`,
      }
    },
  }
}
