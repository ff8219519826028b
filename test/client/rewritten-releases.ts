import { changesBetween, type VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { versionHash } from '../../src/crypto/published-history.ts'
import { createPayload } from '../../src/service/releases/payload.ts'
import { loadReleases, type PublishedHistory } from '../../src/service/releases/releases.ts'
import { makeReleases } from '../support/made-releases.ts'

/** What a rewriter changes in an entry. */
export type Rewrite = (entry: VersionEntry) => VersionEntry

/** A valid chain of `count` versions in which one entry or all were changed, and `changes` and every hash recomputed. */
export function rewrittenReleases(
  count: number,
  sequence: number | 'all',
  rewrite: Rewrite,
): PublishedHistory {
  const made = makeReleases(count)
  let previous: VersionEntry | undefined
  for (const [snapshotId, text] of made.versions) {
    const stored = JSON.parse(text) as VersionEntry
    const isMeant = sequence === 'all' || stored.sequence === sequence
    const changed = isMeant ? rewrite(stored) : stored
    const entry = {
      ...changed,
      changes: changesBetween(previous?.resources ?? {}, changed.resources),
      previousHash: previous?.hash ?? changed.previousHash,
    }
    previous = { ...entry, hash: versionHash(entry) }
    made.versions.set(snapshotId, canonicalJson({ ...previous }))
  }
  return loadReleases(made.store)
}

/**
 * A service that signs a chain in which one entry misstates its changes behind correct hashes. No server of this project
 * would load it.
 */
export function misstatingReleases(
  count: number,
  sequence: number,
  changes: VersionEntry['changes'],
): PublishedHistory {
  const made = makeReleases(count)
  const chain: VersionEntry[] = []
  for (const text of made.versions.values()) {
    const stored = JSON.parse(text) as VersionEntry
    const stated = stored.sequence === sequence ? { ...stored, changes } : stored
    const entry = { ...stated, previousHash: chain.at(-1)?.hash ?? stated.previousHash }
    chain.push({ ...entry, hash: versionHash(entry) })
  }
  const head = chain.at(-1)
  if (head === undefined) throw new RangeError('expected at least one version')
  const releases = loadReleases(made.store)
  const history = JSON.parse(releases.historyPage({}).payload.json) as {
    readonly algorithm: string
  }
  const entries = chain.toReversed().map((entry) => {
    const { snapshotId, createdAt, previousHash, hash } = entry
    return { snapshotId, sequence: entry.sequence, createdAt, previousHash, hash }
  })
  const { snapshotId, hash } = head
  const payload = createPayload({ ...history, head: { snapshotId, hash }, entries })
  return {
    ...releases,
    version: (id) => {
      const entry = chain.find((each) => each.snapshotId === id)
      return entry === undefined ? undefined : createPayload({ ...entry })
    },
    head: createPayload({ ...head }),
    historyPage: () => ({ payload, nextBefore: undefined }),
  }
}
