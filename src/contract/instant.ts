/** A moment as every document writes it: RFC 3339 in UTC with the letter Z, in seconds or milliseconds. */
export const INSTANT_PATTERN: string = String.raw`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z$`

const INSTANT = new RegExp(INSTANT_PATTERN)

/**
 * Milliseconds since 1970 of such a moment, or undefined where the text is none: of another form, or no time of any
 * day. `Date.parse` alone takes 30 February for 2 March and 24:00 for the next day; what it read must be what was
 * written. A leap second is refused, since no Date can hold it.
 */
export function parseInstant(text: string): number | undefined {
  const epochMs = INSTANT.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(epochMs)) return undefined
  return new Date(epochMs).toISOString().startsWith(text.slice(0, 19)) ? epochMs : undefined
}
