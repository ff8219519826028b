const SHOWN_START = 12
const SHOWN_END = 6

/** Enough characters of an age recipient to recognize it. */
export function shortRecipient(recipient: string): string {
  return recipient.length <= SHOWN_START + SHOWN_END
    ? recipient
    : `${recipient.slice(0, SHOWN_START)}…${recipient.slice(-SHOWN_END)}`
}
