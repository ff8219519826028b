import { type VersionEntry, versionHashText } from '../contract/version-chain.ts'
import { walkVersionChain, type StoredVersion } from '../contract/version-entry.ts'
import { sha256Hex } from './sha256.ts'

/** The published versions, as a release store has them. Each method throws for a file that cannot be read. */
export interface PublishedVersions {
  /** Ids of all versions, oldest first. */
  readVersionIds(): readonly string[]
  readVersionText(snapshotId: string): string
}

/** The `hash` of an entry: SHA-256 of its hash text, in lower-case hexadecimal. */
export function versionHash(entry: Omit<VersionEntry, 'hash'>): string {
  return sha256Hex(versionHashText(entry))
}

/** Every version, oldest first, with the chain checked. Throws a VersionEntryError or a ChainError for the first fault. */
export function readHistory(published: PublishedVersions): readonly StoredVersion[] {
  return [...walkHistory(published, published.readVersionIds())]
}

/** Yields the versions with these ids one at a time. The first must follow `after`. Throws like `readHistory`. */
export function walkHistory(
  published: Pick<PublishedVersions, 'readVersionText'>,
  snapshotIds: readonly string[],
  after?: VersionEntry,
): Generator<StoredVersion, undefined> {
  const readText = (snapshotId: string) => published.readVersionText(snapshotId)
  return walkVersionChain({ snapshotIds, readText, sha256Hex }, after)
}
