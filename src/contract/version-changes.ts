import { propertyOf } from './property-of.ts'
import { ChainError, type VersionEntry } from './version-chain.ts'

/** The digests of a version, by resource name. */
type Resources = VersionEntry['resources']

/** Differences between the resources of a version and the previous one, sorted by name. */
export function changesBetween(before: Resources, after: Resources): VersionEntry['changes'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted()
  return names.flatMap((resource) => {
    // Own properties only, because a resource may be named like an inherited property.
    const [old, now] = [propertyOf(before, resource), propertyOf(after, resource)]
    if (old === now) return []
    const kind = old === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
    return [{ resource, kind } as const]
  })
}

function formatChange(change: VersionEntry['changes'][number] | undefined): string {
  return change === undefined ? 'nothing' : `${change.resource} ${change.kind}`
}

/**
 * Compares an entry's `changes` with the difference between its resources and those of the entry before it (`undefined`
 * for the genesis entry). Returns the first difference, such as `status changed` or `nothing` past the end of the list,
 * or undefined. Members beyond `resource` and `kind` are not compared.
 */
export function findChangesFault(
  previous: Pick<VersionEntry, 'resources'> | undefined,
  entry: Pick<VersionEntry, 'resources' | 'changes'>,
): { readonly expected: string; readonly found: string } | undefined {
  const changes = changesBetween(previous?.resources ?? {}, entry.resources)
  for (let index = 0; index < Math.max(changes.length, entry.changes.length); index += 1) {
    const expected = formatChange(changes[index])
    const found = formatChange(entry.changes[index])
    if (found !== expected) return { expected, found }
  }
  return undefined
}

/** Throws a ChainError (CHANGES) unless an entry's `changes` are what its resources show. */
export function verifyChanges(
  previous: Pick<VersionEntry, 'resources'> | undefined,
  entry: VersionEntry,
): void {
  const fault = findChangesFault(previous, entry)
  if (fault === undefined) return
  throw new ChainError('CHANGES', entry.snapshotId, fault.expected, fault.found)
}
