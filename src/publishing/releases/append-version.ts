import { MAX_ENTRY_BYTES } from '@public-api/client-internal/log/tiles'
import {
  changesBetween,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  verifyChanges,
  verifyLink,
  type VersionEntry,
  versionHashText,
} from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { laterProgramOf } from '@public-api/contract/registry/release-notices'
import type { RemovedEvent } from '@public-api/contract/snapshots/removed-events'
import { API_VERSION } from '@public-api/contract/terms/api-version'
import { formatInstant } from '@public-api/contract/text/instant'
import { versionHash } from '../../crypto/published-history.ts'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { unknownMembersOf } from '../../releases/unknown-members.ts'
import { PublishError } from '../rules/publish-error.ts'
import { eventsRemovedBetween, keepRecord, readData, timeAfter } from './published-versions.ts'

/** Dependencies of every change of a release folder. */
export interface ReleaseOptions {
  readonly store: ReleaseStore
  /** Milliseconds since 1970; becomes the version's `createdAt`. */
  readonly nowMs: number
  readonly registryVersion: string
  /** One line for readers of the history. Without it, the note says what changed. */
  readonly note?: string | undefined
  /**
   * Called with the texts of the resources before their version is written, so that readers of the version find what it
   * writes. Returns warnings.
   */
  readonly prepare?: (read: (name: string) => string | undefined) => Promise<readonly string[]>
  /** Reads the versions of the store, where the command read some of them before. */
  readonly readVersions?: () => readonly VersionEntry[]
}

/** The result of publishing. */
export interface PublishResult {
  /** `published`: a version was written. `unchanged`: the newest version has the same content. */
  readonly outcome: 'published' | 'unchanged'
  /** The entry of the newest version. */
  readonly entry: VersionEntry
  /** If `unchanged`: resources whose file was missing or damaged. It was written again. */
  readonly damaged: readonly string[]
  /** Incidents and maintenances that the version before has and this one has not. */
  readonly removed: readonly RemovedEvent[]
  /** Resources of the version before that were replaced by an older state, as the publisher asked. */
  readonly undone?: readonly string[]
  /** What moved from the status to the files of years, one line for each year. */
  readonly moved?: readonly string[]
  readonly warnings: readonly string[]
}

/** Runs writes to a release folder. A file that cannot be written becomes a PublishError. */
export function writeRelease<Result>(snapshotId: string, write: () => Result): Result {
  try {
    return write()
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
    const { code, message } = error
    const details = { cause: error }
    if (code === 'EXISTS') {
      const advice = `another publisher published ${snapshotId} first; look at it and publish again`
      throw new PublishError('CONFLICT', advice, details)
    }
    throw new PublishError('STORAGE', `the release could not be written: ${message}`, details)
  }
}

/** Entries of a transparency log have a length of two bytes (c2sp.org/tlog-tiles). Throws a PublishError. */
function requireLoggable(entry: VersionEntry): void {
  const length = Buffer.byteLength(versionHashText(entry))
  if (length <= MAX_ENTRY_BYTES) return
  throw new PublishError(
    'VERSION',
    `the entry of ${entry.snapshotId} would have ${length} bytes; expected at most ${MAX_ENTRY_BYTES}, so publish fewer resources`,
  )
}

/** Throws a PublishError if a later program wrote the newest version. `isOwn` as for `appendVersion`. */
export function requireNoLaterProgram(
  store: ReleaseStore,
  head: VersionEntry | undefined,
  isOwn: (name: string, digest: string) => boolean,
): void {
  const others = Object.entries(head?.resources ?? {}).filter((resource) => !isOwn(...resource))
  const unknown = unknownMembersOf(store, { resources: Object.fromEntries(others) })
  const later = head && laterProgramOf(head, unknown)
  if (later !== undefined) {
    throw new PublishError('VERSION', `${later}; it would remove what it does not know`)
  }
}

/**
 * Appends the version that follows `versions`, unless it would change nothing. `writeResources` runs before and returns
 * what it repaired; it gets the entry if it is new. `isOwn` identifies the resources that this program compiled, whose
 * members it knows. The change is atomic: readers see the old version or the new one, also after a crash. Throws a
 * PublishError.
 */
export function appendVersion(
  { store, nowMs, registryVersion, note }: ReleaseOptions & { readonly note: string },
  versions: readonly VersionEntry[],
  resources: VersionEntry['resources'],
  writeResources: (next: VersionEntry | undefined) => readonly string[],
  isOwn: (name: string, digest: string) => boolean = () => false,
): PublishResult {
  const head = versions.at(-1)
  requireNoLaterProgram(store, head, isOwn)
  const sequence = (head?.sequence ?? 0) + 1
  const createdMs = timeAfter(head?.createdAt, nowMs)
  const isBehind = createdMs > nowMs
  const createdAt = formatInstant(createdMs)
  const clockWarning = `the clock says ${formatInstant(nowMs)}, before the newest version (${head?.createdAt}); the new version has ${createdAt}`
  const unhashed: Omit<VersionEntry, 'hash'> = {
    snapshotId: formatSnapshotId(sequence),
    sequence,
    createdAt,
    apiVersion: API_VERSION,
    registryVersion,
    resources,
    changes: changesBetween(head?.resources ?? {}, resources),
    note,
    previousHash: head?.hash ?? GENESIS_PREVIOUS_HASH,
  }
  const isUnchanged =
    unhashed.changes.length === 0 &&
    head?.registryVersion === registryVersion &&
    head.apiVersion === API_VERSION
  const entry = isUnchanged ? head : { ...unhashed, hash: versionHash(unhashed) }
  return writeRelease(entry.snapshotId, () => {
    const damaged = writeResources(isUnchanged ? undefined : entry)
    if (isUnchanged) {
      keepRecord(store, versions)
      return { outcome: 'unchanged', entry, damaged, removed: [], warnings: [] }
    }
    // Checks the entry by the rules of every reader before it is published permanently.
    verifyLink(head, entry, versionHash(entry))
    verifyChanges(head, entry)
    requireLoggable(entry)
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
    const removed = eventsRemovedBetween(readData(store), head, entry)
    keepRecord(store, [...versions, entry])
    const warnings = isBehind ? [clockWarning] : []
    return { outcome: 'published', entry, damaged, removed, warnings }
  })
}
