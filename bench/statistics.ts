/** The middle of some numbers and the range around it. */
export interface Spread {
  readonly median: number
  readonly lowest: number
  readonly highest: number
}

/** Median, lowest and highest. Throws on an empty list. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((left, right) => left - right)
  const [lowest, highest] = [sorted.at(0), sorted.at(-1)]
  const upper = sorted[Math.floor(sorted.length / 2)]
  const lower = sorted[Math.ceil(sorted.length / 2) - 1]
  if (lowest === undefined || highest === undefined || upper === undefined || lower === undefined) {
    throw new RangeError('expected at least one number')
  }
  return { median: (lower + upper) / 2, lowest, highest }
}
