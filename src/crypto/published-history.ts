import { messageOf } from '@public-api/contract/errors/error-message'
import {
  verifyChanges,
  verifyLink,
  VERSION_HASH_LABEL,
  versionHashText,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { parseVersionEntry, VersionEntryError } from '@public-api/contract/history/version-entry'
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

/**
 * The same text as `versionHashText`, from the canonical JSON of an entry. The member `hash` is cut out of the text,
 * because writing 10,000 versions as JSON again takes a quarter of a second. Another member with the same name and value
 * would leave the hash in the text, which then has another hash.
 */
export function storedHashText(text: string, hash: string): string {
  return `${VERSION_HASH_LABEL}\n${text.replace(`"hash":"${hash}",`, '')}`
}

/** Lets a version have the digests of the one before it, so that 10,000 versions do not have each of theirs in memory. */
function shareDigests(before: VersionEntry['resources'] = {}, own: { [name: string]: string }) {
  for (const [name, digest] of Object.entries(own)) {
    const known = before[name]
    if (known === digest) own[name] = known
  }
}

/** Every version, oldest first, with the chain checked. Throws a VersionEntryError or a ChainError for the first fault. */
export function readHistory(published: PublishedVersions): readonly VersionEntry[] {
  const versions = walkHistory(published, published.readVersionIds())
  return Array.from(versions, ({ entry }) => entry)
}

/**
 * Yields the versions with these ids and their texts, which are canonical JSON, oldest first. Stores none. Checks each
 * entry against the previous one (`after` for the first), its hash against its content, and its `changes` against its
 * resources. Throws a VersionEntryError or a ChainError that names the first invalid entry.
 */
export function* walkHistory(
  published: Pick<PublishedVersions, 'readVersionText'>,
  snapshotIds: readonly string[],
  after?: VersionEntry,
): Generator<{ readonly entry: VersionEntry; readonly text: string }, undefined> {
  let previous = after
  for (const snapshotId of snapshotIds) {
    let text: string
    try {
      text = published.readVersionText(snapshotId)
    } catch (error) {
      throw new VersionEntryError(snapshotId, messageOf(error), error)
    }
    const entry = parseVersionEntry(text, snapshotId)
    verifyLink(previous, entry, sha256Hex(storedHashText(text, entry.hash)))
    verifyChanges(previous, entry)
    shareDigests(previous?.resources, entry.resources)
    previous = entry
    yield { entry, text }
  }
}
