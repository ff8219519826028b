import { type VersionEntry, versionHashText } from '../contract/version-chain.ts'
import { readVersionChain, type StoredVersion } from '../contract/version-entry.ts'
import { sha256Hex } from './sha256.ts'

/** The versions that were published, as a release store holds them. Each of these throws where it cannot be read. */
export interface PublishedVersions {
  /** Ids of all versions, oldest first. */
  readVersionIds(): readonly string[]
  readVersionText(snapshotId: string): string
}

/** The `hash` of an entry: SHA-256 of its hash text, in lower-case hexadecimal. */
export function versionHash(entry: Omit<VersionEntry, 'hash'>): string {
  return sha256Hex(versionHashText(entry))
}

/**
 * Every published version, oldest first, with the whole chain checked. Throws a VersionEntryError or a ChainError that
 * names the first entry that is missing, damaged or does not follow from the one before it, and what `readVersionIds`
 * throws.
 */
export function readHistory(published: PublishedVersions): readonly StoredVersion[] {
  return readVersionChain({
    snapshotIds: published.readVersionIds(),
    readText: (snapshotId) => published.readVersionText(snapshotId),
    sha256Hex,
  })
}
