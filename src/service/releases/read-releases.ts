import { messageOf } from '@public-api/contract/errors/error-message'
import type { RedactedResource } from '@public-api/contract/history/redaction'
import {
  ChainError,
  formatSnapshotId,
  type VersionEntry,
} from '@public-api/contract/history/version-chain'
import { VersionEntryError } from '@public-api/contract/history/version-entry'
import { isCanonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { laterProgramOf } from '@public-api/contract/registry/release-notices'
import { inspectResource } from '@public-api/contract/registry/resource-names'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { walkHistory } from '../../crypto/published-history.ts'
import type { ReleaseStore } from '../../releases/release-store.ts'
import type { TlogFiles } from '../../tlog/tlog-files.ts'

/** The published releases cannot be served: none exists, the chain is broken, or they do not extend the served ones. */
export class ReleasesError extends Error {
  override readonly name = 'ReleasesError'
}

/** A stored resource that cannot be served. */
export interface ResourceFault {
  readonly snapshotId: string
  readonly resource: string
  readonly reason: string
  /** Whether it belongs to the newest version, which makes the resource unavailable. */
  readonly served: boolean
}

/** Checked versions with the resources of the newest one, as plain data that processes can exchange. */
export interface LoadedReleases {
  /** The canonical JSON of each version entry, oldest first. */
  readonly versionTexts: readonly string[]
  /** The canonical JSON of each entry's summary in the history index, newest first. */
  readonly summaries: readonly string[]
  /** Each with what its schema does not know, which a later program wrote. */
  readonly resources: readonly (Readonly<Record<'name' | 'digest' | 'json', string>> &
    ReturnType<typeof inspectResource>)[]
  readonly faults: readonly ResourceFault[]
  /** Resources of older versions whose bytes were permanently removed. */
  readonly redactions: readonly RedactedResource[]
  /** The published files of the transparency log; missing without one. */
  readonly tlog?: TlogFiles
}

/** A version by its id and hash, which identify the whole chain up to it. */
export type ChainHead = Pick<VersionEntry, 'snapshotId' | 'hash'>

/** Versions after the served ones, and resources that were unavailable before. */
export interface ReleaseUpdate extends LoadedReleases {
  /** The newest served version, which the first of `versionTexts` follows. */
  readonly after: ChainHead
}

/**
 * Throws unless a resource can be sent as stored: canonical JSON, whose hash is the ETag, of the promised shape. What a later
 * program wrote may have a shape that this one does not know. Returns how it differs from its schema.
 */
function requireServable(
  name: string,
  text: string,
  isOfLaterProgram: boolean,
): ReturnType<typeof inspectResource> {
  const value = parseJson(text)
  if (value === undefined) throw new Error('expected JSON')
  if (!isCanonicalJson(text, value)) throw new Error('expected canonical JSON (RFC 8785)')
  const inspected = inspectResource(name, value)
  if (inspected.mistake !== undefined && !isOfLaterProgram)
    throw new Error(`the data does not match its schema at ${inspected.mistake}`)
  return inspected
}

/** A resource file, with the first of the walked versions that names it. */
type AddedFile = Readonly<Record<'snapshotId' | 'resource' | 'digest', string>>

/** Walks versions, oldest first, and lists the resource files that they add or change. Throws ReleasesError. */
function walkVersions(store: ReleaseStore, snapshotIds: readonly string[], after?: VersionEntry) {
  const versionTexts: string[] = []
  const summaries: string[] = []
  const added = new Map<string, AddedFile>()
  let newest = after
  try {
    for (const { entry, text } of walkHistory(store, snapshotIds, after)) {
      versionTexts.push(text)
      const { createdAt, hash, previousHash, sequence, snapshotId } = entry
      // In canonical order.
      summaries.push(JSON.stringify({ createdAt, hash, previousHash, sequence, snapshotId }))
      newest = entry
      // `changes` was checked against the resources, so it names every file that earlier versions do not have.
      for (const { resource } of entry.changes) {
        const digest = entry.resources[resource]
        const file = `${digest} ${resource}`
        if (digest === undefined || added.has(file)) continue
        added.set(file, { snapshotId, resource, digest })
      }
    }
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof VersionEntryError)) throw error
    throw new ReleasesError(`The version chain is broken at ${messageOf(error)}`, {
      cause: error,
    })
  }
  return { versionTexts, summaries: summaries.toReversed(), newest, added: added.values() }
}

/** Reads the wanted resources of the newest version, and checks the digests of the other added files. */
export function loadResources(
  store: ReleaseStore,
  newest: VersionEntry,
  added: Iterable<AddedFile> = [],
  isWanted: (name: string, digest: string) => boolean = () => true,
): Pick<LoadedReleases, 'resources' | 'faults'> {
  const resources: LoadedReleases['resources'][number][] = []
  const faults: ResourceFault[] = []
  const fail = (resource: string, reason: string) =>
    faults.push({ snapshotId: newest.snapshotId, resource, reason, served: true })
  const isOfLaterProgram = laterProgramOf(newest) !== undefined
  for (const [name, digest] of Object.entries(newest.resources)) {
    if (!isWanted(name, digest)) continue
    try {
      const json = store.readResourceText(name, digest)
      resources.push({ name, digest, json, ...requireServable(name, json, isOfLaterProgram) })
    } catch (error) {
      fail(name, messageOf(error))
    }
  }
  for (const name of SNAPSHOT_NAMES) {
    // A later program may have ended the endpoint.
    if (newest.resources[name] !== undefined || isOfLaterProgram) continue
    fail(name, `${newest.snapshotId} was published without it`)
  }
  for (const { snapshotId, resource, digest } of added) {
    if (newest.resources[resource] === digest && isWanted(resource, digest)) continue
    try {
      store.readResourceText(resource, digest)
    } catch (error) {
      // A redacted resource of an older version is not damaged. The newest version has none.
      if (propertyOf(error, 'code') === 'REDACTED') continue
      faults.push({ snapshotId, resource, reason: messageOf(error), served: false })
    }
  }
  return { resources, faults }
}

/**
 * Reads every version, checks the whole chain and the digest of every resource that any version names, and returns the
 * newest one's resources. With `upTo`, later versions are not read, and that version must have the given hash. Who checks
 * the resources of older versions when they are needed leaves them `unread`. Throws a ReleasesError that names the entry if
 * the chain is broken, or if it is empty or has another hash. A missing or damaged resource is returned as a fault.
 */
export function readReleases(
  store: ReleaseStore,
  upTo?: ChainHead,
  olderResources: 'checked' | 'unread' = 'checked',
): LoadedReleases {
  const tlog = readTlog(store)
  const count = Number(upTo?.snapshotId.slice('VS-'.length))
  const ids =
    upTo === undefined
      ? store.readVersionIds()
      : Array.from({ length: count }, (_each, index) => formatSnapshotId(index + 1))
  const { newest, added, ...versions } = walkVersions(store, ids)
  if (newest === undefined) {
    throw new ReleasesError('No version is published; publish one first (npm run svc -- publish)')
  }
  if (upTo !== undefined && newest.hash !== upTo.hash) {
    throw new ReleasesError(
      `Another chain has replaced the served one: expected ${upTo.snapshotId} with the hash ${upTo.hash}, found ${newest.hash}`,
    )
  }
  const older = olderResources === 'checked' ? added : []
  const loaded = loadResources(store, newest, older)
  return { ...versions, ...loaded, redactions: store.listRedactions(), ...tlog }
}

/** The part of the served releases that reading an update needs. */
export interface ServedReleases {
  readonly head: VersionEntry
  /** Resources of the newest served version that are unavailable. */
  readonly unavailable: readonly string[]
  /** Members of its resources that their schemas do not know, as `name/pointer`. */
  readonly unknownMembers: readonly string[]
  readonly redactions: readonly RedactedResource[]
  readonly tlog?: TlogFiles
}

/** The files of the log, read before the versions: a checkpoint is written after the versions it contains. */
function readTlog(store: ReleaseStore): Pick<LoadedReleases, 'tlog'> {
  const tlog = store.readTlogFiles()
  return tlog === undefined ? {} : { tlog }
}

/** Ids of the versions after this one, up to the first gap. */
function idsAfter(store: ReleaseStore, { sequence }: VersionEntry): readonly string[] {
  const ids = new Set(store.readVersionIds())
  const found: string[] = []
  for (let next = sequence + 1; ids.has(formatSnapshotId(next)); next += 1) {
    found.push(formatSnapshotId(next))
  }
  return found
}

/** The newest version after the served ones; undefined without one, and if they cannot be listed. */
export function newestAfter(
  store: ReleaseStore,
  { head }: Pick<ServedReleases, 'head'>,
): string | undefined {
  try {
    return idsAfter(store, head).at(-1)
  } catch {
    return undefined
  }
}

/**
 * Reads the versions after the served one, and the redactions. Checks that they extend its chain, and every resource
 * they need. Returns undefined when nothing is new, which includes a resource that is still unavailable. Throws a
 * ReleasesError if any part of the new versions is missing or wrong, so that they are loaded completely or not at all.
 */
export function readUpdate(
  store: ReleaseStore,
  { head, unavailable, redactions: known, tlog: knownTlog }: ServedReleases,
): ReleaseUpdate | undefined {
  const tlog = readTlog(store)
  const { newest = head, added, ...versions } = walkVersions(store, idsAfter(store, head), head)
  const isKnown = (name: string, digest: string) =>
    head.resources[name] === digest && !unavailable.includes(name)
  const isWanted = (name: string, digest: string) => !isKnown(name, digest)
  const { resources, faults } = loadResources(store, newest, added, isWanted)
  const redactions = store.listRedactions()
  const hasVersions = versions.versionTexts.length > 0
  const isSame =
    resources.length === 0 &&
    JSON.stringify([redactions, tlog.tlog]) === JSON.stringify([known, knownTlog])
  if (!hasVersions && isSame) return undefined
  const [fault] = faults
  if (hasVersions && fault !== undefined) {
    const { snapshotId, resource, reason } = fault
    throw new ReleasesError(`${snapshotId}: the resource ${resource} cannot be served: ${reason}`)
  }
  const after = { snapshotId: head.snapshotId, hash: head.hash }
  return { after, ...versions, resources, faults, redactions, ...tlog }
}

/**
 * Reads the served versions and their resources again. Returns why they could not be loaded, undefined if they could:
 * files that were changed, cut or removed while the service runs. Resources that are known to be unavailable do not count.
 */
export function findDamage(
  store: ReleaseStore,
  { head, unavailable }: ServedReleases,
): string | undefined {
  try {
    const { faults } = readReleases(store, head)
    const found = faults.find(
      ({ resource, served }) =>
        !served || (head.resources[resource] !== undefined && !unavailable.includes(resource)),
    )
    if (found === undefined) return undefined
    return `The resource ${found.resource} of ${found.snapshotId}: ${found.reason}`
  } catch (error) {
    return messageOf(error)
  }
}
