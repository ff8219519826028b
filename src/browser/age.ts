import { formatNumber } from './page-element.ts'

/** Units of time, longest first, with their length in seconds. */
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** The longest unit that fits at least once, with its count. */
function wholeUnits(seconds: number): readonly [count: number, unit: (typeof UNITS)[number][0]] {
  const length = Math.abs(seconds)
  const [unit, each] = UNITS.find(([, unitSeconds]) => length >= unitSeconds) ?? ['second', 1]
  return [Math.floor(length / each), unit]
}

/** A relative time in the page's language: `now`, `3 seconds ago`. */
export function formatAge(seconds: number): string {
  const [count, unit] = wholeUnits(seconds)
  const format = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: 'auto' })
  return format.format(seconds < 0 ? count : -count, unit)
}

/** A duration in the page's language: `15 minutes`. */
export function formatDuration(seconds: number): string {
  const [count, unit] = wholeUnits(seconds)
  return formatNumber(count, { style: 'unit', unit, unitDisplay: 'long' })
}
