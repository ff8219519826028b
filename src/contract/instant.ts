/** A moment as every document writes it: RFC 3339 in UTC with the letter Z, in seconds or milliseconds. */
export const INSTANT: RegExp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/

/** A day of UTC in milliseconds: the time since 1970 knows no leap seconds. */
export const DAY_MS = 86_400_000

/**
 * Milliseconds since 1970 of such a moment, or undefined if the text has another form or names a time that does not exist.
 * `Date.parse` alone takes 30 February for 2 March and 24:00 for the next day; the day it read must be the one
 * written. A leap second is refused, since no Date can hold it.
 */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined
  const time = new Date(text)
  // The day of an invalid Date is NaN, which equals no number.
  return time.getUTCDate() === Number(text.slice(8, 10)) ? time.getTime() : undefined
}

/** A moment as the service and its commands write it: in milliseconds. Throws a RangeError beyond what a Date can hold. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The day of UTC in which a moment lies, as RFC 3339 writes a date: `2026-11-21`. */
export function formatDate(epochMs: number): string {
  return formatInstant(epochMs).slice(0, 10)
}
