import type { Locale } from '@public-api/contract/terms/locales'
import { formatAgo, formatElapsed, MOMENT_FORMAT } from '@public-api/contract/text/elapsed'
import { DAY_MS } from '@public-api/contract/text/instant'
import { html, type Html } from '../markup/html.ts'

/** No-break space, so that no line begins with the time zone. */
const NO_BREAK = '\u00a0'

/**
 * The format of a language, made when it is first used. Making one takes several milliseconds, far longer than formatting
 * a time with it.
 */
function formatOf(options: Intl.DateTimeFormatOptions): (locale: Locale) => Intl.DateTimeFormat {
  const formats = new Map<Locale, Intl.DateTimeFormat>()
  return (locale) => {
    const format = formats.get(locale) ?? new Intl.DateTimeFormat(locale, options)
    formats.set(locale, format)
    return format
  }
}

const dayFormat = formatOf({ dateStyle: 'medium', timeZone: 'UTC' })
const minuteFormat = formatOf(MOMENT_FORMAT)

/** A moment in the format of a language, to the minute and in UTC. */
export function formatMoment(locale: Locale, iso: string): string {
  return `${minuteFormat(locale).format(new Date(iso))}${NO_BREAK}UTC`
}

/**
 * A moment (ISO 8601, UTC) for a table cell or list: in UTC, with a line below that the script of all pages fills
 * with the local time (`data-moment`). The line exists from the start, so that nothing shifts. The tooltip is the
 * text of the JSON, because Thai dates have Buddhist years.
 */
export function momentHtml(locale: Locale, iso: string): Html {
  return html`<span class="moment"
    ><time datetime="${iso}" title="${iso}" data-moment>${formatMoment(locale, iso)}</time
    ><span class="own-time"></span
  ></span>`
}

/** A moment within a sentence, in UTC only. */
export function momentInText(locale: Locale, iso: string): Html {
  return html`<time datetime="${iso}" title="${iso}">${formatMoment(locale, iso)}</time>`
}

/** From a moment to another one, in UTC. The date of a range of one day is there once. */
export function formatMomentRange(locale: Locale, startIso: string, endIso: string): string {
  const range = minuteFormat(locale).formatRange(Date.parse(startIso), Date.parse(endIso))
  return `${range}${NO_BREAK}UTC`
}

/**
 * A planned time. The script of all pages writes the visitor's local time before it (`data-from`), into a line that exists
 * from the start, so that nothing shifts.
 */
export function plannedHtml(locale: Locale, startIso: string, endIso: string): Html {
  return html`<span class="planned"
    ><strong class="own-time" data-from="${startIso}" data-to="${endIso}"></strong
    ><span class="utc">${formatMomentRange(locale, startIso, endIso)}</span></span
  >`
}

/** How long ago a moment was. The script of all pages keeps it current. */
export function agoHtml(locale: Locale, iso: string, nowMs: number): Html {
  return html`<span data-ago="${iso}">${formatAgo(locale, nowMs - Date.parse(iso))}</span>`
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

/** The days from the first to the last (milliseconds since 1970), or the one day. */
export function formatDayRange(locale: Locale, firstMs: number, lastMs: number): string {
  return dayFormat(locale).formatRange(firstMs, lastMs)
}

export function dayHtml(locale: Locale, iso: string): Html {
  return html`<time datetime="${iso}">${formatDay(locale, iso)}</time>`
}

/** How many UTC days ago an instant was: `today`, `44 days ago`. */
export function formatAgeInDays(locale: Locale, iso: string, todayMs: number): string {
  const days = Math.floor(Date.parse(iso) / DAY_MS) - Math.floor(todayMs / DAY_MS)
  return new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
}
