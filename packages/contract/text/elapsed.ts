/** How pages write a moment: to the minute, in UTC. */
export const MOMENT_FORMAT = {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
} as const

/** How pages write a moment of the visitor's own zone. */
export const OWN_TIME_FORMAT = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** How long ago something happened, in milliseconds: 0 for what a clock that is ahead dated. */
export const ageMs = (iso: string, nowMs: number): number => Math.max(0, nowMs - Date.parse(iso))

/** A relative time in the longest unit that fits, rounded down: `now`, `40 minutes ago`, `in 3 days`. */
export function formatAgo(locale: string, ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => Math.abs(ms) >= each) ?? ['second', 1000]
  const count = Math.trunc(-ms / length)
  // A word such as `yesterday` is about days of a calendar, and 30 hours ago may be the day before.
  const format = new Intl.RelativeTimeFormat(locale, { numeric: count === 0 ? 'auto' : 'always' })
  return format.format(count, unit)
}

/** A duration in its two longest units, at least a minute: `2 hr 40 min`. */
export function formatElapsed(locale: string, ms: number): string {
  let rest = Math.max(ms, 60_000)
  const parts: string[] = []
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count === 0) {
      if (parts.length > 0) break
      continue
    }
    const style = { style: 'unit', unit, unitDisplay: 'short' } as const
    parts.push(new Intl.NumberFormat(locale, style).format(count))
    if (parts.length === 2) break
  }
  return new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' }).format(parts)
}
