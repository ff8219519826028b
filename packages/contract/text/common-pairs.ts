/** Lengths of the longest common subsequences of two lists from each pair of positions on. */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
): readonly Uint16Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      const [row, below] = [lengths[i], lengths[i + 1]]
      if (row === undefined || below === undefined) continue
      row[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  return lengths
}

/**
 * The positions of a longest common subsequence in both lists, in order. Undefined if the parts that differ have more
 * than `maxPairs` pairs of items.
 */
export function commonPairs(
  before: readonly string[],
  after: readonly string[],
  maxPairs: number,
): readonly (readonly [before: number, after: number])[] | undefined {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start += 1
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const old = before.slice(start, before.length - end)
  const now = after.slice(start, after.length - end)
  if (old.length * now.length > maxPairs) return undefined
  const pairs: [number, number][] = Array.from({ length: start }, (_, at) => [at, at])
  const lengths = commonLengths(old, now)
  for (let i = 0, j = 0; i < old.length && j < now.length;) {
    if (old[i] === now[j]) {
      pairs.push([start + i, start + j])
      i += 1
      j += 1
    } else if ((lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0)) i += 1
    else j += 1
  }
  for (let at = end; at > 0; at -= 1) pairs.push([before.length - at, after.length - at])
  return pairs
}
