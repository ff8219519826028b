/** Effect of a change on existing clients. */
export type Impact = 'text' | 'additive' | 'breaking'

/** One difference, without the rows that it affects. */
export interface Difference {
  readonly impact: Impact
  readonly place: string
  readonly change: string
}

/** Every difference between two values at a place. A missing value is undefined. */
export type Compare = (from: unknown, to: unknown, place: string) => readonly Difference[]

/** The impact of replacing one value by another. */
export type Verdict = Impact | { readonly by: (from: unknown, to: unknown) => Impact }

/** Additive where a condition holds, else breaking. */
export function additiveIf(holds: (from: unknown, to: unknown) => boolean): Verdict {
  return { by: (from, to) => (holds(from, to) ? 'additive' : 'breaking') }
}

/** A value as it appears in a report. */
export const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing'

/** A table of any values. */
export interface Values {
  readonly [name: string]: unknown
}

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The names in either table. */
export function keysOf(before: object = {}, after: object = {}): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
}

/** Compares a value as a whole. `name` is its name in the sentence. */
export function whole(verdict: Verdict, name?: string): Compare {
  return (from, to, place) => {
    if (show(from) === show(to)) return []
    const impact = typeof verdict === 'string' ? verdict : verdict.by(from, to)
    const change = [name, 'changed from', show(from), 'to', show(to)]
    return [{ impact, place, change: change.filter((word) => word !== undefined).join(' ') }]
  }
}

/** Compares lists of names. A name that was removed is breaking. */
export function names(kind: string, added: Impact = 'additive'): Compare {
  return (from, to, place) => {
    const [old = [], now = []] = [from, to].map((list) => (list as readonly unknown[]).map(String))
    const differences = (
      list: readonly string[],
      other: readonly string[],
      impact: Impact,
      verb: string,
    ) =>
      list
        .filter((name) => !other.includes(name))
        .map((name) => ({ impact, place, change: `${kind} ${name} ${verb}` }))
    return [
      ...differences(old, now, 'breaking', 'removed'),
      ...differences(now, old, added, 'added'),
    ]
  }
}

/** Compares the members of an object by a table: a verdict on the member as a whole, or its own comparison. */
export function members(
  rules: { readonly [member: string]: Verdict | Compare },
  otherwise: Verdict,
): Compare {
  return (from, to, place) => {
    const [old, now] = [from, to].map((value) => (isObject(value) ? value : {}))
    return keysOf(old, now).flatMap((name) => {
      const rule = rules[name] ?? otherwise
      const compare = typeof rule === 'function' ? rule : whole(rule, name)
      return compare(old?.[name], now?.[name], place)
    })
  }
}

/** Compares what both have. What only the first one has was removed, which is breaking. */
export function optional(kind: string, added: Impact, compare: Compare): Compare {
  return (from, to, place) => {
    if (from === undefined && to === undefined) return []
    if (from === undefined) return [{ impact: added, place, change: `${kind} added` }]
    if (to === undefined) return [{ impact: 'breaking', place, change: `${kind} removed` }]
    return compare(from, to, place)
  }
}
