import { expectedName } from '@public-api/contract/text/nearest-name'
import { type FieldPath, type Faults, fault } from './content-mistake.ts'

/** Checks a reference to an item, or a list of references. */
export function* checkReferences(
  path: FieldPath,
  names: string | readonly string[] = [],
  known: readonly string[] = [],
): Faults {
  const otherwise =
    known.length === 0 ? 'no reference, because there are no items' : `one of ${known.join(', ')}`
  for (const [index, name] of [names].flat().entries()) {
    if (known.includes(name)) continue
    const expected = expectedName(name, known, 'the id of an item', otherwise)
    const at = typeof names === 'string' ? path : [...path, index]
    yield fault(at, `a reference to ${JSON.stringify(name)}`, expected)
  }
}
