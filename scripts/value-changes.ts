import type { Difference } from './schema-changes.ts'

/** A value as it appears in a report. */
export const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** Names that were removed are breaking, names that were added are additive. */
export function compareNames(
  before: readonly string[],
  after: readonly string[],
  place: string,
  kind: string,
): readonly Difference[] {
  return [
    ...before
      .filter((name) => !after.includes(name))
      .map((name) => ({ impact: 'breaking' as const, place, change: `${kind} ${name} removed` })),
    ...after
      .filter((name) => !before.includes(name))
      .map((name) => ({ impact: 'additive' as const, place, change: `${kind} ${name} added` })),
  ]
}

/** A table of any values. */
export interface Values {
  readonly [name: string]: unknown
}

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The names in either table. */
export function keysOf(before: object, after: object): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}
