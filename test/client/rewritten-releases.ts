import { canonicalJson } from '../../src/contract/canonical-json.ts'
import type { VersionEntry } from '../../src/contract/version-chain.ts'
import { versionHash } from '../../src/crypto/published-history.ts'
import { loadReleases, type Releases } from '../../src/service/releases.ts'
import { makeReleases } from '../support/made-releases.ts'

/** What a rewriter changes in an entry. */
export type Rewrite = (entry: VersionEntry) => VersionEntry

/** A sound chain of `count` versions in which one entry or all were changed, and every hash from there on made to fit. */
export function rewrittenReleases(
  count: number,
  sequence: number | 'all',
  rewrite: Rewrite,
): Releases {
  const made = makeReleases(count)
  let previousHash: string | undefined
  for (const [snapshotId, text] of made.versions) {
    const stored = JSON.parse(text) as VersionEntry
    const isMeant = sequence === 'all' || stored.sequence === sequence
    const changed = isMeant ? rewrite(stored) : stored
    const entry = { ...changed, previousHash: previousHash ?? changed.previousHash }
    previousHash = versionHash(entry)
    const whole = { ...entry, hash: previousHash }
    made.versions.set(snapshotId, canonicalJson(whole))
  }
  return loadReleases(made.store)
}
