/** A moment as the service writes it: ISO 8601 in UTC with milliseconds. */
export function formatMoment(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** `1 row`, `2 rows`. */
export function pluralOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
