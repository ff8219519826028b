import type { SiteFacts } from '../page.ts'

/** Path of the index that the history page searches. It is not part of the API. */
export const INDEX_PATH = '/history-index.json'

/** Every version: its id, its hash, and the digests of the resources that it added or changed. */
export function renderVersionIndex(facts: SiteFacts): string {
  const versions = facts
    .newestVersions(facts.versionCount)
    .map(({ snapshotId, hash, changes, resources }) => [
      snapshotId,
      hash,
      changes.flatMap(({ resource }) => resources[resource] ?? []),
    ])
  return JSON.stringify({ versions })
}
