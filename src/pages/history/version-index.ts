import type { SiteFacts } from '../page.ts'

/**
 * Versions in a piece of the index that the history page searches: reading all of a long history at once would block the
 * event loop.
 */
export const INDEX_PIECE = 200

/** Path of the pieces, each a number and `.json`; the first contains the oldest versions. They are not part of the API. */
export const INDEX_PATH = '/history-index/'

/** The number of a piece by its path; undefined for a path that names none. */
export function indexPieceOf(facts: SiteFacts, path: string): number | undefined {
  const digits =
    path.startsWith(INDEX_PATH) && /^([1-9]\d{0,8})\.json$/.exec(path.slice(INDEX_PATH.length))
  const piece = digits ? Number(digits[1]) : Number.POSITIVE_INFINITY
  return piece <= Math.ceil(facts.versionCount / INDEX_PIECE) ? piece : undefined
}

/** Paths of all pieces. */
export function indexPaths({ versionCount }: SiteFacts): readonly string[] {
  return Array.from(
    { length: Math.ceil(versionCount / INDEX_PIECE) },
    (_, index) => `${INDEX_PATH}${index + 1}.json`,
  )
}

/** The versions of a piece, newest first: the id, the hash, and the digests of the resources that it added or changed. */
export function renderVersionIndex(facts: SiteFacts, piece: number): string {
  const newest = Math.min(facts.versionCount, piece * INDEX_PIECE)
  const versions = facts
    .versionsFrom(newest, newest - (piece - 1) * INDEX_PIECE)
    .map(({ snapshotId, hash, changes, resources }) => [
      snapshotId,
      hash,
      changes.flatMap(({ resource }) => resources[resource] ?? []),
    ])
  return JSON.stringify({ versions })
}
