import { createHash } from 'node:crypto'

import { type VersionEntry, verifyLink, versionHashText } from '../contract/version-chain.ts'
import { parseVersionEntry } from '../contract/version-entry.ts'
import type { ReleaseStore } from '../storage/release-store.ts'

/** The `hash` of an entry: SHA-256 of its hash text, in lower-case hexadecimal. */
export function versionHash(entry: Omit<VersionEntry, 'hash'>): string {
  return createHash('sha256').update(versionHashText(entry), 'utf8').digest('hex')
}

/**
 * Every published version, oldest first, with the whole chain checked. Throws a ReleaseFileError, a VersionEntryError
 * or a ChainError that names the first entry that is missing, damaged or does not follow from the one before it.
 */
export function readVersionHistory(store: ReleaseStore): readonly VersionEntry[] {
  const entries: VersionEntry[] = []
  for (const snapshotId of store.readVersionIds()) {
    const entry = parseVersionEntry(store.readVersionText(snapshotId), snapshotId)
    verifyLink(entries.at(-1), entry, versionHash(entry))
    entries.push(entry)
  }
  return entries
}
