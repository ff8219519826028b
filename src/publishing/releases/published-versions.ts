import { messageOf } from '@public-api/contract/errors/error-message'
import {
  changesRecord,
  createRecorder,
  keptRecord,
  type RecordedVersions,
} from '@public-api/contract/history/published-record'
import { ChainError, type VersionEntry } from '@public-api/contract/history/version-chain'
import { VersionEntryError } from '@public-api/contract/history/version-entry'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  changedEventResources,
  type RemovedEvent,
  removedEvents,
} from '@public-api/contract/snapshots/removed-events'
import { SNAPSHOT_ID_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import { walkHistory } from '../../crypto/published-history.ts'
import { ReleaseFileError, type ReleaseStore } from '../../releases/release-store.ts'
import { PublishError } from '../rules/publish-error.ts'

/** Throws a PublishError (HISTORY) for a link or special file in the folder. */
function requireRegularFiles(store: ReleaseStore): void {
  const irregular = store
    .listEntries()
    .find(({ kind }) => kind === 'link' || kind === 'special file')
  if (irregular === undefined) return
  const { name, kind } = irregular
  const found = `the releases folder has the ${kind} ${name}; expected regular files`
  throw new PublishError('HISTORY', found)
}

/**
 * Every version, oldest first. Throws a PublishError (HISTORY), also for a link or special file in the folder. `known` are
 * those that this command read and checked before. The hash of the newest one covers all of them.
 */
export function readVersions(
  store: ReleaseStore,
  known: readonly VersionEntry[] = [],
): readonly VersionEntry[] {
  try {
    if (known.length === 0) requireRegularFiles(store)
    const ids = store.readVersionIds()
    const newest = known.at(-1)
    // The folder can change while the command waits for input, for example by git pull.
    const isKept =
      newest === undefined ||
      (ids[known.length - 1] === newest.snapshotId &&
        store.readVersionText(newest.snapshotId) === canonicalJson({ ...newest }))
    if (!isKept) return readVersions(store)
    const added = walkHistory(store, ids.slice(known.length), newest)
    return [...known, ...Array.from(added, ({ entry }) => entry)]
  } catch (error) {
    const faults = [ChainError, VersionEntryError, ReleaseFileError]
    if (!faults.some((fault) => error instanceof fault)) throw error
    const message = `the published history is damaged: ${messageOf(error)}`
    throw new PublishError('HISTORY', message, { cause: error })
  }
}

/**
 * The time of what follows a version of this time: the clock's, or a millisecond later than the version, if that was
 * published by a clock that was ahead. Its clock must not stop the next publisher.
 */
export function timeAfter(newest: string | undefined, nowMs: number): number {
  const newestMs = Date.parse(newest ?? '')
  return newestMs > nowMs ? newestMs + 1 : nowMs
}

/** The time that content is compared with: that of the version that it would become. */
export function contentMs(store: ReleaseStore, nowMs: number): number {
  try {
    const newest = store.readVersionIds().at(-1)
    const entry = newest === undefined ? undefined : parseJson(store.readVersionText(newest))
    return timeAfter(String(propertyOf(entry, 'createdAt')), nowMs)
  } catch {
    // Who needs the version names its damage.
    return nowMs
  }
}

/** The version with an ID. Throws a PublishError: VERSION if it does not exist, USAGE if the ID is malformed. */
export function requireVersion(
  versions: readonly VersionEntry[],
  snapshotId: string,
): VersionEntry {
  const found = versions.find((each) => each.snapshotId === snapshotId)
  if (found !== undefined) return found
  const newest = versions.at(-1)?.snapshotId
  throw new PublishError(
    new RegExp(SNAPSHOT_ID_PATTERN).test(snapshotId) ? 'VERSION' : 'USAGE',
    newest === undefined
      ? 'no version is published'
      : `there is no version ${JSON.stringify(snapshotId.slice(0, 30))}; expected ${versions[0]?.snapshotId} to ${newest}`,
  )
}

/** Reads the data of a published resource; undefined if it cannot be read. */
export const readData =
  (store: ReleaseStore) =>
  (name: string, digest: string): unknown => {
    try {
      return JSON.parse(store.readResourceText(name, digest)) as unknown
    } catch {
      return undefined
    }
  }

/** The incidents and maintenances that a version removed. None if a resource cannot be read. */
export function eventsRemovedBetween(
  read: ReturnType<typeof readData>,
  before: Pick<VersionEntry, 'resources'> | undefined,
  after: Pick<VersionEntry, 'resources'>,
): readonly RemovedEvent[] {
  if (before === undefined) return []
  const names = changedEventResources(before.resources, after.resources)
  const readAll = ({ resources }: Pick<VersionEntry, 'resources'>) =>
    names.flatMap((name) => {
      const digest = resources[name]
      return digest === undefined ? [] : [read(name, digest)]
    })
  const [old, current] = [readAll(before), readAll(after)]
  return [...old, ...current].includes(undefined) ? [] : removedEvents(old, current)
}

/** What a call reads of a published resource, or the damage of its file. */
export function readUnlessDamaged<Content>(read: () => Content): {
  readonly content?: Content
  readonly fault?: ReleaseFileError
} {
  try {
    return { content: read() }
  } catch (error) {
    if (error instanceof ReleaseFileError) return { fault: error }
    throw error
  }
}

/** Describes the damage of a published resource's file in one line; undefined if it matches its digest. */
export const resourceFault = (
  store: ReleaseStore,
  name: string,
  digest: string,
): string | undefined => readUnlessDamaged(() => store.readResource(name, digest)).fault?.message

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
    archived: readData(store),
    redactionCount: store.countRedactions(),
    ...(kept === undefined ? {} : { kept }),
  }
}

/** Keeps what all versions together say beside them. Readers go on without it, only more slowly, so it is never a failure. */
export function keepRecord(store: ReleaseStore, versions: readonly VersionEntry[]): void {
  const recorded = recordedVersions(store, versions, () => store.readRecord())
  const kept = keptRecord(recorded)
  if (kept !== undefined && !versions.slice(kept.last.sequence).some(changesRecord)) return
  const recorder = createRecorder()
  recorder.read(recorded)
  try {
    store.writeRecord(recorder.format())
  } catch (error) {
    if (!(error instanceof ReleaseFileError)) throw error
  }
}
