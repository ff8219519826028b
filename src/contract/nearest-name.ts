/** Edits (insert, remove, replace, swap neighbors) between two words. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1)
      }
      current.push(distance)
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}

/**
 * The known name most similar to a mistyped one; `undefined` if more than a third of its letters differ. Ignores
 * case.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined
  const wanted = name.toLowerCase()
  let nearest: string | undefined
  let nearestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const each of known) {
    const distance = editDistance(wanted, each.toLowerCase())
    if (distance < nearestDistance) {
      nearest = each
      nearestDistance = distance
    }
  }
  return nearest
}

/** The expectation in an error for a mistyped name: `known` with a suggestion, else `otherwise`. */
export function expectedName(
  name: string,
  names: readonly string[],
  known: string,
  otherwise: string,
): string {
  const nearest = nearestName(name, names)
  return nearest === undefined ? otherwise : `${known}; did you mean ${nearest}?`
}
