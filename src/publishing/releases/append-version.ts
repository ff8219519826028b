import { MAX_ENTRY_BYTES } from '@public-api/client-internal/log/tiles'
import { messageOf } from '@public-api/contract/errors/error-message'
import {
  changesRecord,
  createRecorder,
  type RecordedVersions,
} from '@public-api/contract/history/published-record'
import {
  ChainError,
  changesBetween,
  formatSnapshotId,
  GENESIS_PREVIOUS_HASH,
  verifyChanges,
  verifyLink,
  versionHashText,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { VersionEntryError } from '@public-api/contract/history/version-entry'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import {
  changedEventResources,
  type RemovedEvent,
  removedEvents,
} from '@public-api/contract/snapshots/removed-events'
import { API_VERSION } from '@public-api/contract/terms/api-version'
import { formatInstant } from '@public-api/contract/text/instant'
import { readHistory, versionHash } from '../../crypto/published-history.ts'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { findLeaks } from '../leaks/leak-guard.ts'
import { PublishError } from '../rules/publish-error.ts'
import { checkText } from '../rules/value-rules.ts'

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

/** Longest note of a version, in UTF-16 code units. */
const MAX_NOTE_LENGTH = 500

/** Checks a line that will be published. `name` is its name in an error. Throws a PublishError. */
export function checkLine(name: string, line: string): void {
  const refuse = (found: string, expected: string) => {
    throw new PublishError('NOTE', `${name} has ${found}; expected ${expected}`)
  }
  const isBlank = line.trim() === ''
  if (isBlank || line.length > MAX_NOTE_LENGTH) {
    const found = isBlank ? 'no text' : `${line.length} characters`
    refuse(found, `1 to ${MAX_NOTE_LENGTH} characters`)
  }
  if (line.includes('\n')) refuse('a line break', 'one line of text')
  if (line !== line.trim()) refuse('white space at the start or end', 'text without it')
  for (const { found, expected } of checkText(line, [])) refuse(found, expected)
}

/** Checks a line that will be published, also with the leak guard. Rejects with a PublishError. */
export async function guardLine(name: string, line: string): Promise<void> {
  checkLine(name, line)
  const { leaks: mistakes } = await findLeaks([{ file: name, text: line }])
  if (mistakes.length === 0) return
  throw new PublishError('NOTE', `${name} must not be published`, { mistakes })
}

/** Every version, oldest first. Throws a PublishError (HISTORY), also for a link or special file in the folder. */
export function readVersions(store: ReleaseStore): readonly VersionEntry[] {
  try {
    const irregular = store
      .listEntries()
      .find(({ kind }) => kind === 'link' || kind === 'special file')
    if (irregular !== undefined) {
      const { name, kind } = irregular
      const found = `the releases folder has the ${kind} ${name}; expected regular files`
      throw new PublishError('HISTORY', found)
    }
    return readHistory(store)
  } catch (error) {
    const faults = [ChainError, VersionEntryError, ReleaseFileError]
    if (!faults.some((fault) => error instanceof fault)) throw error
    const message = `the published history is damaged: ${messageOf(error)}`
    throw new PublishError('HISTORY', message, { cause: error })
  }
}

/** The version with an id. Throws a PublishError (VERSION). */
export function requireVersion(
  versions: readonly VersionEntry[],
  snapshotId: string,
): VersionEntry {
  const found = versions.find((each) => each.snapshotId === snapshotId)
  if (found !== undefined) return found
  const newest = versions.at(-1)?.snapshotId
  throw new PublishError(
    'VERSION',
    newest === undefined
      ? 'no version is published'
      : `there is no version ${JSON.stringify(snapshotId.slice(0, 30))}; expected ${versions[0]?.snapshotId} to ${newest}`,
  )
}

/** The incidents and maintenances that a version removed. None if a resource cannot be read. */
export function eventsRemovedBetween(
  store: ReleaseStore,
  before: Pick<VersionEntry, 'resources'> | undefined,
  after: Pick<VersionEntry, 'resources'>,
): readonly RemovedEvent[] {
  if (before === undefined) return []
  const names = changedEventResources(before.resources, after.resources)
  const readAll = ({ resources }: Pick<VersionEntry, 'resources'>) =>
    names.flatMap((name) => {
      const digest = resources[name]
      return digest === undefined
        ? []
        : [JSON.parse(store.readResourceText(name, digest)) as unknown]
    })
  try {
    return removedEvents(readAll(before), readAll(after))
  } catch (error) {
    if (error instanceof ReleaseFileError) return []
    throw error
  }
}

/** The versions and resources of a store, as a record is made of them. Without `kept`, all are read. */
export function recordedVersions(
  store: ReleaseStore,
  versions: readonly VersionEntry[],
  kept?: () => string | undefined,
): RecordedVersions {
  const byId = new Map(versions.map((entry) => [entry.snapshotId, entry]))
  return {
    head: { sequence: versions.length },
    version: (snapshotId) => byId.get(snapshotId),
    archived(name, digest) {
      try {
        return JSON.parse(store.readResourceText(name, digest)) as unknown
      } catch {
        return undefined
      }
    },
    redactionCount: store.listRedactions().length,
    ...(kept === undefined ? {} : { kept }),
  }
}

/** Keeps what all versions together say beside them. Readers go on without it, only more slowly, so it is never a failure. */
export function keepRecord(store: ReleaseStore, versions: readonly VersionEntry[]): void {
  const recorder = createRecorder()
  recorder.read(recordedVersions(store, versions, () => store.readRecord()))
  try {
    store.writeRecord(recorder.format())
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
  }
}

/** Describes the damage of a published resource's file in one line; undefined if it matches its digest. */
export function resourceFault(
  store: ReleaseStore,
  name: string,
  digest: string,
): string | undefined {
  try {
    store.readResourceText(name, digest)
    return undefined
  } catch (error) {
    if (error instanceof ReleaseFileError) return error.message
    throw error
  }
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
    if (code === 'REDACTED') {
      const expected = `${message}; expected content that was not redacted`
      throw new PublishError('REDACTED', expected, details)
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

/**
 * Appends the version that follows `versions`, unless it would change nothing. `writeResources` runs before and returns
 * what it repaired. The change is atomic: readers see the old version or the new one, also after a crash. Throws a
 * PublishError.
 */
export function appendVersion(
  { store, nowMs, registryVersion, note }: ReleaseOptions & { readonly note: string },
  versions: readonly VersionEntry[],
  resources: VersionEntry['resources'],
  writeResources: (isNew: boolean) => readonly string[],
): PublishResult {
  const head = versions.at(-1)
  const sequence = (head?.sequence ?? 0) + 1
  // A version of a clock that was ahead must not block the next one.
  const headMs = head === undefined ? nowMs : Date.parse(head.createdAt)
  const isBehind = nowMs < headMs
  const createdAt = formatInstant(isBehind ? headMs + 1 : nowMs)
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
    const damaged = writeResources(!isUnchanged)
    if (isUnchanged) return { outcome: 'unchanged', entry, damaged, removed: [], warnings: [] }
    // Checks the entry by the rules of every reader before it is published permanently.
    verifyLink(head, entry, versionHash(entry))
    verifyChanges(head, entry)
    requireLoggable(entry)
    store.appendVersion(entry.snapshotId, canonicalJson({ ...entry }))
    const removed = eventsRemovedBetween(store, head, entry)
    if (changesRecord(entry)) keepRecord(store, [...versions, entry])
    const warnings = isBehind ? [clockWarning] : []
    return { outcome: 'published', entry, damaged, removed, warnings }
  })
}
