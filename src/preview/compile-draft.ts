import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { compileMoved } from '../publishing/editing/move-aged-events.ts'
import { appendVersion } from '../publishing/releases/append-version.ts'
import { contentMs, readVersions } from '../publishing/releases/published-versions.ts'
import type { ReleaseStore } from '../releases/release-store.ts'
import { loadReleases } from '../service/releases/releases.ts'

/**
 * Published releases with a draft version on top, which exists only in memory: what is written to this store can be read
 * from it, and the folder never changes.
 */
function createDraftStore(published: ReleaseStore): ReleaseStore {
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

/**
 * Compiles a content folder as the version after those of `published`, without writing, or returns its mistakes. Rejects
 * with a PublishError if the published history is damaged.
 */
export async function compileDraft(contentDir: string, published: ReleaseStore, nowMs: number) {
  // A draft is never older than what is published, whatever this machine's clock says.
  const draftMs = contentMs(published, nowMs)
  const { resources, mistakes } = await compileMoved(contentDir, draftMs)
  if (mistakes.length > 0) return { mistakes }
  const store = createDraftStore(published)
  const versions = readVersions(store)
  const digests = Object.fromEntries([...resources].map(([name, { digest }]) => [name, digest]))
  const publication = {
    store,
    nowMs: draftMs,
    registryVersion: REGISTRY_VERSION,
    note: 'Draft',
  }
  const { outcome, entry } = appendVersion(publication, versions, digests, () => {
    for (const [name, { digest, text }] of resources) store.writeResource(name, digest, text)
    return []
  })
  const isChanged = outcome === 'published'
  return { releases: loadReleases(store), snapshotId: entry.snapshotId, isChanged }
}
