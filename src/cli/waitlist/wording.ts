const SHOWN_START = 12
const SHOWN_END = 6

/** A moment as the service writes it: ISO 8601 in UTC with milliseconds. */
export function formatMoment(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** `1 row`, `2 rows`. */
export function pluralOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Enough of an age recipient to tell it from others at a glance. */
export function shortRecipient(recipient: string): string {
  return recipient.length <= SHOWN_START + SHOWN_END
    ? recipient
    : `${recipient.slice(0, SHOWN_START)}…${recipient.slice(-SHOWN_END)}`
}

/** One line on a row that could not be used. */
export function formatProblem({
  position,
  ticket,
  reason,
}: {
  readonly position: number
  readonly ticket: string
  readonly reason: string
}): string {
  return `position ${position}, ticket ${ticket}: ${reason}`
}
