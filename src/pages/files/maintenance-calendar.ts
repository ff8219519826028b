import { DAY_MS } from '@public-api/contract/text/instant'
import { eventPath, pathOfPage } from '../addresses.ts'
import { plainText } from '../markup/rich-text.ts'
import { type PageContext, siteName } from '../page.ts'
import { inLanguage, isOpen, type StatusEvent, statusEvents } from '../snapshots/status-events.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { calendarComponent, calendarText, calendarTime } from './icalendar.ts'
import { changedMs, revisionsOf } from './status-items.ts'

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

/** Calendars remove what a feed no longer has, and some refuse a feed that is suddenly empty. */
const KEPT_MS = 90 * DAY_MS

/** When something was last heard of a maintenance: its end, or a later version that changed or removed it. */
const lastMs = (context: PageContext, event: StatusEvent): number =>
  Math.max(event.endMs, changedMs(context, event))

/**
 * Each version that changes or removes the maintenance raises the sequence number, so that calendars replace the event that
 * they have (RFC 5545 3.8.7.4). A removal counts between two changes: the maintenance may come back.
 */
function eventOf(context: PageContext, event: StatusEvent) {
  const { locale, texts, facts } = context
  const { maintenance, removed } = event
  if (maintenance === undefined) return []
  const { id, title, state, startsAt, endsAt, updates } = maintenance
  const { origin, ownOrigin } = facts
  const { changedAt: ownChange, changes } = revisionsOf(facts, 'maintenances', id)
  const changedAt = removed?.removedAt ?? ownChange
  const label =
    removed === undefined ? labelFor(texts, 'maintenanceState', state) : texts.status.removed
  // What a version removed is not repeated beyond its title.
  const lines = removed === undefined ? updates.map(({ at, text }) => `${at} ${text}`) : []
  const isOff = removed !== undefined || state === 'cancelled'
  const component = calendarComponent('VEVENT', [
    ['UID', `maintenance-${id}@${new URL(origin).hostname}`],
    ['DTSTAMP', calendarTime(changedAt)],
    ['LAST-MODIFIED', calendarTime(changedAt)],
    ['SEQUENCE', String(2 * changes + (removed === undefined ? 0 : 1))],
    ['DTSTART', calendarTime(startsAt)],
    ['DTEND', calendarTime(endsAt)],
    ['SUMMARY', calendarText(plainText(texts.feed.maintenance, { title, state: label }))],
    ['DESCRIPTION', calendarText(lines.join('\n'))],
    ['URL', ownOrigin + pathOfPage(locale, eventPath({ kind: 'maintenances', id }))],
    ['STATUS', isOff ? 'CANCELLED' : 'CONFIRMED'],
    // Maintenance of a service does not make a reader busy.
    ['TRANSP', 'TRANSPARENT'],
  ])
  return [component]
}

/** A calendar needs a component (RFC 5545 3.6). One without events has the definition of UTC. */
function emptyCalendar(): string {
  const standard = calendarComponent('STANDARD', [
    ['DTSTART', '19700101T000000'],
    ['TZOFFSETFROM', '+0000'],
    ['TZOFFSETTO', '+0000'],
  ])
  return calendarComponent('VTIMEZONE', [['TZID', 'Etc/UTC']], [standard])
}

/**
 * The maintenances as a calendar (RFC 5545, RFC 7986): scheduled and running ones, and for 90 days those that ended, were
 * cancelled or removed. With the id of a component, those that name it.
 */
export function renderCalendar(context: PageContext, component?: string): string {
  const { locale, texts, facts, content } = context
  const { components = [] } = content.snapshot('status') ?? {}
  const of = components.find(({ id }) => id === component)?.name ?? component
  const site = siteName(context)
  const title = of === undefined ? site : `${of} · ${site}`
  const name = calendarText(plainText(texts.feed.calendar, { name: title }))
  const oldestMs = facts.nowMs - KEPT_MS
  const events = statusEvents(context)
    .filter(
      ({ kind, components: named }) =>
        kind === 'maintenances' && (component === undefined || named.includes(component)),
    )
    .filter((each) => isOpen(each) || lastMs(context, each) >= oldestMs)
    .flatMap((each) => eventOf(context, inLanguage(context, each)))
  return calendarComponent(
    'VCALENDAR',
    [
      ['VERSION', '2.0'],
      ['PRODID', `-//public-api-server//maintenance//${locale.toUpperCase()}`],
      ['NAME', name],
      // Older calendars know these names only.
      ['X-WR-CALNAME', name],
      ['REFRESH-INTERVAL;VALUE=DURATION', 'PT1H'],
      ['X-PUBLISHED-TTL', 'PT1H'],
    ],
    events.length === 0 ? [emptyCalendar()] : events,
  )
}
