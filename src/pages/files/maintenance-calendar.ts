import type { Maintenance } from '@public-api/contract/history/published-record'
import { eventPath, pathOfPage } from '../addresses.ts'
import { plainText } from '../markup/rich-text.ts'
import { type PageContext, siteName } from '../page.ts'
import { isOpen } from '../snapshots/status-events.ts'
import { labelFor } from '../texts/enum-labels.ts'
import { calendarComponent, calendarText, calendarTime } from './icalendar.ts'
import { revisionsOf } from './status-items.ts'

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8'

/**
 * Each version that changes the maintenance raises the sequence number, so that calendars replace the event that they have
 * (RFC 5545 3.8.7.4).
 */
function eventOf({ locale, texts, facts }: PageContext, maintenance: Maintenance) {
  const { id, title, state, startsAt, endsAt, updates } = maintenance
  const { origin, ownOrigin } = facts
  const { changedAt, changes } = revisionsOf(facts, 'maintenances', id)
  const label = labelFor(texts, 'maintenanceState', state)
  const lines = updates.map(({ at, text }) => `${at} ${text}`)
  return calendarComponent('VEVENT', [
    ['UID', `maintenance-${id}@${new URL(origin).hostname}`],
    ['DTSTAMP', calendarTime(changedAt)],
    ['LAST-MODIFIED', calendarTime(changedAt)],
    ['SEQUENCE', String(changes)],
    ['DTSTART', calendarTime(startsAt)],
    ['DTEND', calendarTime(endsAt)],
    ['SUMMARY', calendarText(plainText(texts.feed.maintenance, { title, state: label }))],
    ['DESCRIPTION', calendarText(lines.join('\n'))],
    ['URL', ownOrigin + pathOfPage(locale, eventPath({ kind: 'maintenances', id }))],
    ['STATUS', 'CONFIRMED'],
    // Maintenance of a service does not make a reader busy.
    ['TRANSP', 'TRANSPARENT'],
  ])
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

/** The scheduled and running maintenances as a calendar (RFC 5545, RFC 7986). */
export function renderCalendar(context: PageContext): string {
  const { locale, texts, content } = context
  const name = calendarText(plainText(texts.feed.calendar, { name: siteName(context) }))
  const events = (content.snapshot('status')?.maintenances ?? [])
    .filter(isOpen)
    .map((each) => eventOf(context, each))
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
