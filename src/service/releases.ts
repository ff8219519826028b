import { messageOf } from '../contract/error-message.ts'
import { canonicalJson, type JsonValue } from '../contract/canonical-json.ts'
import { schemaViolation } from '../contract/schema-violation.ts'
import {
  isSnapshotName,
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotName,
} from '../contract/snapshot-schemas.ts'
import {
  ChainError,
  VERSION_HASH_LABEL,
  type VersionEntry,
  type VersionSummary,
} from '../contract/version-chain.ts'
import { VersionEntryError, type StoredVersion } from '../contract/version-entry.ts'
import { readHistory } from '../crypto/published-history.ts'
import { digestFault } from '../crypto/resource-digest.ts'
import type { ReleaseStore } from '../storage/release-store.ts'
import { payloadOf, payloadOfCanonical, type Payload } from './payload.ts'

/** The published releases cannot be served at all: none is there, or the chain is broken. */
export class ReleasesError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ReleasesError'
  }
}

/** A stored resource that does not match its digest. A fault of the newest version makes that resource unavailable. */
export interface ResourceFault {
  readonly snapshotId: string
  readonly resource: string
  readonly reason: string
  /** Whether it belongs to the newest version. */
  readonly served: boolean
}

/** What was published, checked, and ready to be sent. */
export interface Releases {
  /** Data of the newest version of a resource, or undefined when it is missing or damaged. */
  snapshot(name: SnapshotName): Payload | undefined
  /** Data of any resource of the newest version, `site/…` included, or undefined when it is missing or damaged. */
  resource(name: string): Payload | undefined
  /** Text of a resource of any version, read and checked when called; undefined if missing or damaged. */
  readResource(name: string, digest: string): string | undefined
  /** The newest version entry. */
  readonly head: Payload
  /** The version entry with this id, or undefined when there is none. */
  version(snapshotId: string): Payload | undefined
  /** The history index. */
  readonly history: Payload
  readonly headSnapshotId: string
  readonly faults: readonly ResourceFault[]
}

/** How the history index says its hashes are made. */
const CHAIN_ALGORITHM = `SHA-256 over the line ${VERSION_HASH_LABEL}, a newline and the RFC 8785 canonical JSON of the entry without its hash`

/** Every version in order, each checked against the one before it. Throws ReleasesError with the entry named. */
function readChain(store: ReleaseStore): readonly StoredVersion[] {
  try {
    return readHistory(store)
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof VersionEntryError)) throw error
    throw new ReleasesError(`The version chain is broken at ${messageOf(error)}`, error)
  }
}

function readResource(store: ReleaseStore, name: string, digest: string): string {
  const text = store.readResourceText(name, digest)
  const fault = digestFault(text, digest)
  if (fault !== undefined) throw new Error(fault)
  return text
}

/**
 * Throws unless a resource can be served as stored. The text is sent unchanged and its hash is the ETag, so it must be
 * canonical JSON; pages and clients rely on its shape.
 */
function requireServable(resource: string, text: string): void {
  let value: JsonValue
  try {
    value = JSON.parse(text) as JsonValue
  } catch {
    throw new Error('expected JSON')
  }
  if (canonicalJson(value) !== text) throw new Error('expected canonical JSON (RFC 8785)')
  if (!isSnapshotName(resource)) return
  const violation = schemaViolation(SNAPSHOT_SCHEMAS[resource], value)
  if (violation !== undefined) throw new Error(`the data does not match its schema at ${violation}`)
}

/**
 * Reads every version, checks the whole chain and the digest of every resource any version names, and keeps in memory
 * what the newest one needs. Throws ReleasesError when the chain is broken (the entry is named) or empty; a missing or
 * damaged resource is a fault, not an error.
 */
export function loadReleases(store: ReleaseStore): Releases {
  const chain = readChain(store)
  const newest = chain.at(-1)
  if (newest === undefined) {
    throw new ReleasesError('No version is published; publish one first (npm run svc -- publish)')
  }
  const { snapshotId: headSnapshotId, hash: headHash, resources } = newest.entry
  const served = new Map<string, Payload>()
  const faults: ResourceFault[] = []
  const seen = new Set<string>()
  // Newest first, so that a fault of a file which several versions share is told of the version that is served.
  for (const { entry } of chain.toReversed()) {
    for (const [resource, digest] of Object.entries(entry.resources)) {
      const file = `${resource} ${digest}`
      if (seen.has(file)) continue
      seen.add(file)
      try {
        const text = readResource(store, resource, digest)
        if (entry !== newest.entry) continue
        requireServable(resource, text)
        served.set(resource, payloadOfCanonical(text, digest))
      } catch (error) {
        const { snapshotId } = entry
        faults.push({
          snapshotId,
          resource,
          reason: messageOf(error),
          served: entry === newest.entry,
        })
      }
    }
  }
  for (const resource of SNAPSHOT_NAMES) {
    if (resources[resource] !== undefined) continue
    const reason = `${headSnapshotId} was published without it`
    faults.push({ snapshotId: headSnapshotId, resource, reason, served: true })
  }
  const versions = new Map(
    chain.map(({ entry, text }) => [entry.snapshotId, payloadOfCanonical(text)]),
  )
  return {
    head: payloadOfCanonical(newest.text),
    headSnapshotId,
    history: payloadOf({
      algorithm: CHAIN_ALGORITHM,
      count: chain.length,
      head: { snapshotId: headSnapshotId, hash: headHash },
      entries: chain.map(({ entry }) => summaryOf(entry)).toReversed(),
    }),
    snapshot: (name) => served.get(name),
    resource: (name) => served.get(name),
    readResource(name, digest) {
      try {
        return readResource(store, name, digest)
      } catch {
        return undefined
      }
    },
    version: (snapshotId) => versions.get(snapshotId),
    faults,
  }
}

function summaryOf({
  snapshotId,
  sequence,
  createdAt,
  previousHash,
  hash,
}: VersionEntry): VersionSummary {
  return { snapshotId, sequence, createdAt, previousHash, hash }
}
