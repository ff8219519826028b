import {
  changesBetween,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { API_VERSION, REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { versionHash } from '../../src/crypto/published-history.ts'

/** Content of an entry besides its links. */
type EntryContent = Omit<VersionEntry, 'snapshotId' | 'sequence' | 'previousHash' | 'hash'>

/** The entry that follows another one, or begins a chain, with this content. */
export function chainedEntry(
  previous: VersionEntry | undefined,
  content: EntryContent,
): VersionEntry {
  const sequence = (previous?.sequence ?? 0) + 1
  const unhashed = {
    ...content,
    snapshotId: formatSnapshotId(sequence),
    sequence,
    previousHash: previous?.hash ?? GENESIS_PREVIOUS_HASH,
  }
  return { ...unhashed, hash: versionHash(unhashed) }
}

/** An entry with defaults: a new status, a note, and the day of January 2026 with its number. */
export function madeEntry(
  previous: VersionEntry | undefined,
  resources: VersionEntry['resources'],
  content: Partial<EntryContent> = {},
): VersionEntry {
  return chainedEntry(previous, {
    createdAt: new Date(Date.UTC(2026, 0, (previous?.sequence ?? 0) + 1)).toISOString(),
    apiVersion: API_VERSION,
    registryVersion: REGISTRY_VERSION,
    resources,
    changes: changesBetween(previous?.resources ?? {}, resources),
    note: 'Made by a test.',
    ...content,
  })
}
