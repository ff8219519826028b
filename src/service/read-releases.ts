import { canonicalJson, type JsonValue } from '../contract/canonical-json.ts'
import { messageOf } from '../contract/error-message.ts'
import { schemaViolation } from '../contract/schema-violation.ts'
import { isTranslatedName, TRANSLATED_SCHEMAS } from '../contract/resource-names.ts'
import { SNAPSHOT_NAMES } from '../contract/snapshot-schemas.ts'
import {
  ChainError,
  formatSnapshotId,
  type VersionEntry,
  type VersionSummary,
} from '../contract/version-chain.ts'
import { VersionEntryError } from '../contract/version-entry.ts'
import { walkHistory } from '../crypto/published-history.ts'
import type { RedactedResource } from '../contract/redaction.ts'
import type { ReleaseStore } from '../storage/release-store.ts'

/** The published releases cannot be served: none exists, the chain is broken, or they do not extend the served ones. */
export class ReleasesError extends Error {
  override readonly name = 'ReleasesError'
}

/** A stored resource that cannot be served. A fault of the newest version makes that resource unavailable. */
export interface ResourceFault {
  readonly snapshotId: string
  readonly resource: string
  readonly reason: string
  /** Whether it belongs to the newest version. */
  readonly served: boolean
}

export interface LoadedResource {
  readonly name: string
  readonly digest: string
  readonly json: string
}

/** Checked versions with the resources of the newest one, as plain data that threads and processes can exchange. */
export interface LoadedReleases {
  /** The canonical JSON of each version entry, oldest first. */
  readonly versionTexts: readonly string[]
  /** The canonical JSON of each entry's summary in the history index, newest first. */
  readonly summaries: readonly string[]
  readonly resources: readonly LoadedResource[]
  readonly faults: readonly ResourceFault[]
  /** Resources of older versions whose bytes were permanently removed. */
  readonly redactions: readonly RedactedResource[]
}

/** A version by its id and hash, which identify the whole chain up to it. */
export interface ChainHead {
  readonly snapshotId: string
  readonly hash: string
}

/** Versions after the served ones, and resources that were unavailable before. */
export interface ReleaseUpdate extends LoadedReleases {
  /** The newest served version, which the first of `versionTexts` follows. */
  readonly after: ChainHead
}

/** The texts of translations depend on the schemas of other resources, so only the outer structure is checked. */
const TRANSLATIONS_SCHEMA = {
  type: 'object',
  required: ['locale', 'resources'],
  properties: { locale: { type: 'string' }, resources: { type: 'object' } },
} as const

type Reader = Pick<ReleaseStore, 'readVersionText' | 'readResourceText'>

/** Throws unless a resource can be sent as stored: canonical JSON, whose hash is the ETag, of the promised shape. */
function requireServable(name: string, text: string): void {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw new Error('expected JSON')
  }
  if (canonicalJson(value) !== text) throw new Error('expected canonical JSON (RFC 8785)')
  const schema = isTranslatedName(name) ? TRANSLATED_SCHEMAS[name] : TRANSLATIONS_SCHEMA
  const violation = schemaViolation(schema, value)
  if (violation !== undefined) throw new Error(`the data does not match its schema at ${violation}`)
}

function loadResource(store: Reader, name: string, digest: string): LoadedResource {
  const json = store.readResourceText(name, digest)
  requireServable(name, json)
  return { name, digest, json }
}

function formatSummary(entry: VersionEntry): string {
  const { snapshotId, sequence, createdAt, previousHash, hash } = entry
  const summary: VersionSummary = { snapshotId, sequence, createdAt, previousHash, hash }
  return canonicalJson({ ...summary })
}

/** Walks versions and checks the digest of every resource that they add or change. Throws ReleasesError. */
function walkVersions(store: Reader, snapshotIds: readonly string[], after?: VersionEntry) {
  const texts: string[] = []
  const summaries: string[] = []
  const damaged: (Omit<ResourceFault, 'served'> & { readonly digest: string })[] = []
  const seen = new Set<string>()
  let newest = after
  try {
    for (const { entry, text } of walkHistory(store, snapshotIds, after)) {
      texts.push(text)
      summaries.push(formatSummary(entry))
      newest = entry
      // `changes` was checked against the resources, so it names every file that earlier versions do not have.
      for (const { resource, kind } of entry.changes) {
        const digest = entry.resources[resource]
        if (kind === 'removed' || digest === undefined || seen.has(`${resource} ${digest}`))
          continue
        seen.add(`${resource} ${digest}`)
        try {
          store.readResourceText(resource, digest)
        } catch (error) {
          if (isRedacted(error)) continue
          const { snapshotId } = entry
          damaged.push({ snapshotId, resource, digest, reason: messageOf(error) })
        }
      }
    }
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof VersionEntryError)) throw error
    throw new ReleasesError(`The version chain is broken at ${messageOf(error)}`, {
      cause: error,
    })
  }
  return { texts, summaries: summaries.toReversed(), newest, damaged }
}

/** A redacted resource of an older version is not damaged. The newest version has none. */
function isRedacted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'REDACTED'
}

/** The resources of the newest version, and the faults of the others. */
function loadNewest(
  store: Reader,
  { snapshotId, resources }: VersionEntry,
  isWanted: (name: string, digest: string) => boolean,
): Pick<LoadedReleases, 'resources' | 'faults'> {
  const loaded: LoadedResource[] = []
  const faults: ResourceFault[] = []
  const fail = (resource: string, reason: string) =>
    faults.push({ snapshotId, resource, reason, served: true })
  for (const [name, digest] of Object.entries(resources)) {
    if (!isWanted(name, digest)) continue
    try {
      loaded.push(loadResource(store, name, digest))
    } catch (error) {
      fail(name, messageOf(error))
    }
  }
  for (const name of SNAPSHOT_NAMES) {
    if (resources[name] === undefined) fail(name, `${snapshotId} was published without it`)
  }
  return { resources: loaded, faults }
}

/** The versions up to and including the one with this sequence number. */
function idsUpTo(sequence: number): readonly string[] {
  return Array.from({ length: sequence }, (_each, index) => formatSnapshotId(index + 1))
}

/**
 * Reads every version, checks the whole chain and the digest of every resource that any version names, and returns the
 * newest one's resources. With `upTo`, later versions are not read, and that version must have the given hash. Throws a
 * ReleasesError that names the entry if the chain is broken, or if it is empty or has another hash. A missing or
 * damaged resource is returned as a fault.
 */
export function readReleases(store: ReleaseStore, upTo?: ChainHead): LoadedReleases {
  const ids =
    upTo === undefined
      ? store.readVersionIds()
      : idsUpTo(Number(upTo.snapshotId.slice('VS-'.length)))
  const { texts, summaries, newest, damaged } = walkVersions(store, ids)
  if (newest === undefined) {
    throw new ReleasesError('No version is published; publish one first (npm run svc -- publish)')
  }
  if (upTo !== undefined && newest.hash !== upTo.hash) {
    throw new ReleasesError(
      `Another chain has replaced the served one: expected ${upTo.snapshotId} with the hash ${upTo.hash}, found ${newest.hash}`,
    )
  }
  const { resources, faults } = loadNewest(store, newest, () => true)
  const older = damaged
    .filter(({ resource, digest }) => newest.resources[resource] !== digest)
    .map(({ snapshotId, resource, reason }) => ({ snapshotId, resource, reason, served: false }))
  const redactions = store.listRedactions()
  return { versionTexts: texts, summaries, resources, faults: [...faults, ...older], redactions }
}

/** The part of the served releases that reading an update needs. */
export interface ServedReleases {
  readonly head: VersionEntry
  /** Resources of the newest served version that are unavailable. */
  readonly unavailable: readonly string[]
  readonly redactions: readonly RedactedResource[]
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

/**
 * Reads the versions after the served one, and the redactions. Checks that they extend its chain, and every resource
 * they need. Returns undefined when nothing is new, which includes a resource that is still unavailable. Throws a
 * ReleasesError if any part of the new versions is missing or wrong, so that they are loaded completely or not at all.
 */
export function readUpdate(
  store: ReleaseStore,
  { head, unavailable, redactions: known }: ServedReleases,
): ReleaseUpdate | undefined {
  const {
    texts,
    summaries,
    newest = head,
    damaged,
  } = walkVersions(store, idsAfter(store, head), head)
  const after = { snapshotId: head.snapshotId, hash: head.hash }
  const isKnown = (name: string, digest: string) =>
    head.resources[name] === digest && !unavailable.includes(name)
  const { resources, faults } = loadNewest(store, newest, (name, digest) => !isKnown(name, digest))
  const redactions = store.listRedactions()
  const isSame = resources.length === 0 && JSON.stringify(redactions) === JSON.stringify(known)
  if (texts.length === 0 && isSame) return undefined
  const [fault] = [...faults, ...damaged]
  if (texts.length > 0 && fault !== undefined) {
    const { snapshotId, resource, reason } = fault
    throw new ReleasesError(`${snapshotId}: the resource ${resource} cannot be served: ${reason}`)
  }
  return { after, versionTexts: texts, summaries, resources, faults, redactions }
}
