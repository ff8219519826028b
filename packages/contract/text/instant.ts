/** The format of an instant in every document: RFC 3339 in UTC with the letter Z, in seconds or milliseconds. */
export const INSTANT: RegExp = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$/

/** Milliseconds of a UTC day. Unix time has no leap seconds. */
export const DAY_MS = 86_400_000

/** The start of the UTC day of a time. Both in milliseconds since 1970. */
export function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}

/**
 * Milliseconds since 1970 of an instant, or undefined if the text has another form or the time does not exist.
 * `Date.parse` alone reads 30 February as 2 March and 24:00 as the next day, so the parsed day is compared with the
 * text. A leap second is refused, because a Date cannot represent it.
 */
export function parseInstant(text: string): number | undefined {
  if (!INSTANT.test(text)) return undefined
  const time = new Date(text)
  // The day of an invalid Date is NaN, which equals no number.
  return time.getUTCDate() === Number(text.slice(8, 10)) ? time.getTime() : undefined
}

/**
 * An instant in the format of the service and its commands, in milliseconds. Throws a RangeError outside the range of
 * Date.
 */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The day of UTC of an instant, as an RFC 3339 date: `2026-11-21`. */
export function formatDate(epochMs: number): string {
  return formatInstant(epochMs).slice(0, 10)
}
