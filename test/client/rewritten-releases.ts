import { canonicalJson } from '../../src/contract/canonical-json.ts'
import type { VersionEntry } from '../../src/contract/version-chain.ts'
import { changesBetween } from '../../src/contract/version-changes.ts'
import { versionHash } from '../../src/crypto/published-history.ts'
import { loadReleases, type Releases } from '../../src/service/releases.ts'
import { makeReleases } from '../support/made-releases.ts'

/** What a rewriter changes in an entry. */
export type Rewrite = (entry: VersionEntry) => VersionEntry

/** A sound chain of `count` versions in which one entry or all were changed, and `changes` and every hash recomputed. */
export function rewrittenReleases(
  count: number,
  sequence: number | 'all',
  rewrite: Rewrite,
): Releases {
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
