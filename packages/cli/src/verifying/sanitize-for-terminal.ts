import { escapeHidden } from '@public-api/contract/text/hidden-characters'

const MAX_SHOWN = 200

/** Server-supplied text made safe for a terminal: one line, hidden characters as escapes, limited length. */
export function sanitizeForTerminal(text: string, most: number = MAX_SHOWN): string {
  const line = escapeHidden(text.replaceAll(/\s+/g, ' '))
  return line.length <= most ? line : `${line.slice(0, most)}…`
}

/** A duration in seconds, minutes, hours or days. */
export function ageOf(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  if (whole < 120) return `${whole} s`
  if (whole < 7200) return `${Math.floor(whole / 60)} min`
  return whole < 172_800 ? `${Math.floor(whole / 3600)} h` : `${Math.floor(whole / 86_400)} days`
}
