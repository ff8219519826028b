/** Mean and variance (of a sample, by n - 1) of some numbers. */
function momentsOf(values: readonly number[]): {
  readonly mean: number
  readonly variance: number
} {
  if (values.length < 2) throw new RangeError('expected at least two numbers')
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, variance: squares / (values.length - 1) }
}

/**
 * Welch's t of two samples, whose sizes and variances may differ: the difference of their means in units of its own
 * standard error (B. L. Welch, Biometrika 34, 1947). Above 0 when the first mean is the greater; 0 when the means are
 * equal, infinite when only they differ. Throws a RangeError for fewer than two numbers in a sample.
 */
export function welchT(one: readonly number[], other: readonly number[]): number {
  const [left, right] = [momentsOf(one), momentsOf(other)]
  const difference = left.mean - right.mean
  if (difference === 0) return 0
  return difference / Math.sqrt(left.variance / one.length + right.variance / other.length)
}

/** The value that this share of the numbers does not exceed. Throws a RangeError when there are none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).toSorted()
  const found = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (found === undefined) throw new RangeError('expected at least one number')
  return found
}
