/** Edits (insert, remove, replace, swap neighbors) between two words. */
function editDistance(a: string, b: string): number {
  const distances = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => distances[row]?.[column] ?? Infinity
  for (let row = 1; row <= a.length; row += 1) {
    distances.push([row])
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwap ? at(row - 2, column - 2) + 1 : Infinity
      const added = Math.min(at(row - 1, column), at(row, column - 1)) + 1
      distances[row]?.push(Math.min(replaced, swapped, added))
    }
  }
  return at(a.length, b.length)
}

/**
 * The known name most similar to a mistyped one; `undefined` if more than a third of its letters differ. Ignores
 * case.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > 100) return undefined
  const limit = Math.max(1, Math.floor(name.length / 3))
  const [nearest] = known
    // A difference in length takes as many edits.
    .filter((each) => Math.abs(each.length - name.length) <= limit)
    .map((each) => ({ each, distance: editDistance(name.toLowerCase(), each.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .toSorted((one, other) => one.distance - other.distance)
  return nearest?.each
}

/** `; did you mean NAME?` for a mistyped name; empty if no known name is similar. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}

/** The expectation in an error for a mistyped name: `known` with a suggestion, else `otherwise`. */
export function expectedName(
  name: string,
  names: readonly string[],
  known: string,
  otherwise: string,
): string {
  const suggestion = suggestName(name, names)
  return suggestion === '' ? otherwise : `${known}${suggestion}`
}
