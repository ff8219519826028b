/** Index of the last number that is at most `wanted`. The numbers are ascending, and the first is at most `wanted`. */
export function lastAtOrBefore(numbers: readonly number[], wanted: number): number {
  let low = 0
  let high = numbers.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((numbers[middle] ?? 0) <= wanted) low = middle
    else high = middle - 1
  }
  return low
}
