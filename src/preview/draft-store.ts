import type { ReleaseStore } from '../releases/release-store.ts'

/**
 * Published releases with a draft version on top, which exists only in memory: what is written to this store can be read
 * from it, and the folder never changes.
 */
export function createDraftStore(published: ReleaseStore): ReleaseStore {
  const versions = new Map<string, string>()
  const resources = new Map<string, string>()
  const keyOf = (name: string, digest: string): string => `${name}/${digest}`
  return {
    ...published,
    // A draft is in no log.
    readTlogFiles: () => undefined,
    readVersionIds: () => [...published.readVersionIds(), ...versions.keys()],
    readVersionText: (snapshotId) =>
      versions.get(snapshotId) ?? published.readVersionText(snapshotId),
    readResourceText: (name, digest) =>
      resources.get(keyOf(name, digest)) ?? published.readResourceText(name, digest),
    writeResource(name, digest, text) {
      resources.set(keyOf(name, digest), text)
    },
    appendVersion(snapshotId, text) {
      versions.set(snapshotId, text)
    },
  }
}
