import { type VersionEntry, versionHashText } from '../contract/version-chain.ts'
import {
  readVersionChain,
  walkVersionChain,
  type StoredVersion,
  type VersionChainSource,
} from '../contract/version-entry.ts'
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

function chainSourceOf(
  published: Pick<PublishedVersions, 'readVersionText'>,
  snapshotIds: readonly string[],
): VersionChainSource {
  return {
    snapshotIds,
    readText: (snapshotId) => published.readVersionText(snapshotId),
    sha256Hex,
  }
}

/** Every version, oldest first, with the chain checked. Throws a VersionEntryError or a ChainError for the first fault. */
export function readHistory(published: PublishedVersions): readonly StoredVersion[] {
  return readVersionChain(chainSourceOf(published, published.readVersionIds()))
}

/** Yields the versions with these ids one at a time. The first must follow `after`. Throws like `readHistory`. */
export function walkHistory(
  published: Pick<PublishedVersions, 'readVersionText'>,
  snapshotIds: readonly string[],
  after?: VersionEntry,
): Generator<StoredVersion, undefined> {
  return walkVersionChain(chainSourceOf(published, snapshotIds), after)
}
