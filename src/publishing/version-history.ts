import { type VersionEntry, versionHashText } from '../contract/version-chain.ts'
import { readVersionChain } from '../contract/version-entry.ts'
import { sha256Hex } from '../crypto/sha256.ts'
import type { ReleaseStore } from '../storage/release-store.ts'

/** The `hash` of an entry: SHA-256 of its hash text, in lower-case hexadecimal. */
export function versionHash(entry: Omit<VersionEntry, 'hash'>): string {
  return sha256Hex(versionHashText(entry))
}

/**
 * Every published version, oldest first, with the whole chain checked. Throws a VersionEntryError or a ChainError that
 * names the first entry that is missing, damaged or does not follow from the one before it, and a ReleaseFileError when
 * the folder cannot be listed.
 */
export function readVersionHistory(store: ReleaseStore): readonly VersionEntry[] {
  const chain = readVersionChain({
    snapshotIds: store.readVersionIds(),
    readText: (snapshotId) => store.readVersionText(snapshotId),
    sha256Hex,
  })
  return chain.map(({ entry }) => entry)
}
