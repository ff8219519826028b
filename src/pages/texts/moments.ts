import type { Locale } from '@public-api/contract/terms/locales'
import {
  ageMs,
  formatAgo,
  formatElapsed,
  MOMENT_FORMAT,
  OWN_TIME_FORMAT,
} from '@public-api/contract/text/elapsed'
import { DAY_MS, startOfDay } from '@public-api/contract/text/instant'
import { html, type Html, joinHtml } from '../markup/html.ts'
import { ofLocale } from '../markup/rich-text.ts'
import { TEXTS } from './texts.ts'

/** No-break space, so that no line begins with the time zone. */
const NO_BREAK = '\u00a0'

const DASH = ' – '

const formatOf = (options: Intl.DateTimeFormatOptions) =>
  ofLocale((locale) => new Intl.DateTimeFormat(locale, options))

const dayFormat = formatOf({ dateStyle: 'medium', timeZone: 'UTC' })
const minuteFormat = formatOf(MOMENT_FORMAT)
const minuteOfDayFormat = formatOf({ timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' })
/** The format of what the script of all pages writes in the zone of the visitor. */
export const ownFormat = formatOf({ ...OWN_TIME_FORMAT, timeZone: 'UTC' })

/** A moment in the format of a language, to the minute and in UTC. */
export function formatMoment(locale: Locale, iso: string): string {
  return `${minuteFormat(locale).format(new Date(iso))}${NO_BREAK}UTC`
}

/** The moments of a range in UTC: its end has no date of its own on the same day. */
function rangeInUtc(locale: Locale, startIso: string, endIso: string): readonly [string, string] {
  const isSameDay = startOfDay(Date.parse(startIso)) === startOfDay(Date.parse(endIso))
  const end = isSameDay
    ? `${minuteOfDayFormat(locale).format(new Date(endIso))}${NO_BREAK}UTC`
    : formatMoment(locale, endIso)
  return [minuteFormat(locale).format(new Date(startIso)), end]
}

const timeHtml = (iso: string, text: string): Html =>
  html`<time datetime="${iso}" title="${iso}">${text}</time>`

/** A time in the zone of the visitor and in UTC. Both may break between their parts only. */
function whenHtml(
  locale: Locale,
  moments: readonly string[],
  inUtc: readonly string[],
  className: string,
): Html {
  // Attributes keep the place of the visitor's time, so that nothing moves. A text would be taken for it without styles.
  const [before = '', after = ''] = TEXTS[locale].site.ownTime.split('{time}')
  const last = moments.length - 1
  const own = moments.map((iso, index) => {
    const words = { before: index === 0 && before, after: index === last ? after : DASH.trimEnd() }
    return html`<span
      data-utc="${ownFormat(locale).format(new Date(iso))}"
      ${words.before && html`data-before="${words.before}"`}
      ${words.after && html`data-after="${words.after}"`}
    ></span>`
  })
  const utc = moments.map((iso, index) => timeHtml(iso, inUtc[index] ?? ''))
  return html`<span class="${className}"
    ><span class="local" data-browser>${joinHtml(own, ' ')}</span>
    <span class="utc">${joinHtml(utc, DASH)}</span></span
  >`
}

/**
 * A moment (ISO 8601, UTC), wherever a page states one: first the time of the visitor, which the script of all pages fills in,
 * and beside it UTC. Without scripts, and for visitors whose zone is UTC, only UTC. The tooltip is the text of the JSON,
 * because Thai dates have Buddhist years.
 */
export function momentHtml(locale: Locale, iso: string): Html {
  return whenHtml(locale, [iso], [formatMoment(locale, iso)], 'when')
}

/** From a moment to another one, in the same order. */
export function momentRangeHtml(locale: Locale, startIso: string, endIso: string): Html {
  return whenHtml(locale, [startIso, endIso], rangeInUtc(locale, startIso, endIso), 'when')
}

/** A planned time, whose two forms are below each other: the one of the visitor counts. */
export function plannedHtml(locale: Locale, startIso: string, endIso: string): Html {
  return whenHtml(locale, [startIso, endIso], rangeInUtc(locale, startIso, endIso), 'when planned')
}

/** How long ago a moment was. The script of all pages keeps it current. */
export function agoHtml(locale: Locale, iso: string, nowMs: number): Html {
  return html`<time datetime="${iso}" title="${iso}" data-ago
    >${formatAgo(locale, ageMs(iso, nowMs))}</time
  >`
}

/** How long something took, or has taken so far: then the script of all pages keeps it current. */
export function elapsedHtml(
  locale: Locale,
  startIso: string,
  endIso: string | undefined,
  nowMs: number,
): Html {
  const text = formatElapsed(
    locale,
    (endIso === undefined ? nowMs : Date.parse(endIso)) - Date.parse(startIso),
  )
  return endIso === undefined
    ? html`<span data-elapsed="${startIso}">${text}</span>`
    : html`${text}`
}

/** A day (ISO 8601, or milliseconds since 1970) in the format of a language. */
export function formatDay(locale: Locale, day: string | number): string {
  return dayFormat(locale).format(new Date(day))
}

const monthFormat = formatOf({ month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The month of an instant: `October 2026`. */
export function formatMonth(locale: Locale, iso: string): string {
  return monthFormat(locale).format(new Date(iso))
}

/** The days from the first to the last (milliseconds since 1970), or the one day, in the form of other days. */
export function formatDayRange(locale: Locale, firstMs: number, lastMs: number): string {
  // A range in Chinese has another form of dates than a day.
  if (locale !== 'zh-CN') return dayFormat(locale).formatRange(firstMs, lastMs)
  return [...new Set([firstMs, lastMs].map((day) => formatDay(locale, day)))].join(DASH)
}

export function dayHtml(locale: Locale, iso: string): Html {
  return html`<time datetime="${iso}">${formatDay(locale, iso)}</time>`
}

/** How many UTC days ago an instant was: `today`, `44 days ago`. */
export function formatAgeInDays(locale: Locale, iso: string, todayMs: number): string {
  const days = Math.floor(Date.parse(iso) / DAY_MS) - Math.floor(todayMs / DAY_MS)
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
}
