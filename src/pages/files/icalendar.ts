import { showHidden } from '../markup/html.ts'

/** A property of iCalendar with its value, which is written as it is; texts are escaped before. */
export type CalendarLine = readonly [name: string, value: string]

/** Longest line in octets (RFC 5545 3.1). */
const MAX_OCTETS = 75

/** A value of type TEXT (RFC 5545 3.3.11). */
export function calendarText(text: string): string {
  return showHidden(text)
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll(/\r?\n/g, String.raw`\n`)
}

/** A value of type DATE-TIME in UTC (RFC 5545 3.3.5). */
export function calendarTime(instant: string): string {
  return `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`
}

/** Folds a line: every further line starts with a space, and no character is split (RFC 5545 3.1). */
function foldLine(line: string): string {
  let folded = ''
  let octets = 0
  for (const character of line) {
    const size = Buffer.byteLength(character)
    if (octets + size > MAX_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}

/** A component of iCalendar with its properties and inner components. */
export function calendarComponent(
  name: string,
  lines: readonly CalendarLine[],
  inner: readonly string[] = [],
): string {
  const folded = lines.map(([property, value]) => `${foldLine(`${property}:${value}`)}\r\n`)
  return [`BEGIN:${name}\r\n`, ...folded, ...inner, `END:${name}\r\n`].join('')
}
