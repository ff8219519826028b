const SHOWN_START = 12
const SHOWN_END = 6

/** Enough characters of an age recipient to recognize it. */
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
