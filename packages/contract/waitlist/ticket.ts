/** Prefix of every ticket (spec 2.2). */
const TICKET_PREFIX = 'EA-'

/** Random bytes of a ticket. */
export const TICKET_BYTES = 8

/** Promised form of a ticket. The length is not limited, so that a longer ticket breaks no client. */
export const TICKET_PATTERN: string = `^${TICKET_PREFIX}[A-F0-9]+$`

/** A ticket: the prefix, and the bytes in upper-case hexadecimal. */
export function formatTicket(bytes: Uint8Array): string {
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${TICKET_PREFIX}${digits.toUpperCase()}`
}
