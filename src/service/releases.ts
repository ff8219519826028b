import { canonicalJson } from '../contract/canonical-json.ts'
import { SNAPSHOT_NAMES, type SnapshotName } from '../contract/snapshot-schemas.ts'
import {
  ChainError,
  verifyLink,
  versionHashText,
  type VersionEntry,
  type VersionSummary,
} from '../contract/version-chain.ts'
import { sha256Base64url, sha256Hex } from '../crypto/sha256.ts'
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
  /** The newest version entry. */
  readonly head: Payload
  /** The version entry with this id, or undefined when there is none. */
  version(snapshotId: string): Payload | undefined
  /** The history index. */
  readonly history: Payload
  readonly headSnapshotId: string
  readonly faults: readonly ResourceFault[]
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** How the history index says its hashes are made. */
const CHAIN_ALGORITHM =
  'SHA-256 over the line svc-version-v1, a newline and the RFC 8785 canonical JSON of the entry without its hash'

function readEntry(store: ReleaseStore, snapshotId: string): { text: string; entry: VersionEntry } {
  const text = store.readVersionText(snapshotId)
  let entry: VersionEntry
  try {
    entry = JSON.parse(text) as VersionEntry
  } catch {
    throw new ReleasesError(`${snapshotId}: the version file is no JSON`)
  }
  if (canonicalJson(entry as never) !== text) {
    throw new ReleasesError(`${snapshotId}: the version file is not canonical JSON (RFC 8785)`)
  }
  return { text, entry }
}

/**
 * Reads every version, checks the whole chain and the digest of every resource any version names, and keeps what the
 * newest one needs in memory. Throws ReleasesError, with the entry named, when the chain is broken or empty; a missing
 * or damaged resource is a fault, not an error.
 */
export function loadReleases(store: ReleaseStore): Releases {
  const versions = new Map<string, Payload>()
  const summaries: VersionSummary[] = []
  const verified = new Map<string, string>()
  const broken = new Map<string, ResourceFault>()
  let previous: VersionEntry | undefined
  for (const snapshotId of store.readVersionIds()) {
    try {
      const { text, entry } = readEntry(store, snapshotId)
      verifyLink(previous, entry, sha256Hex(versionHashText(entry)))
      versions.set(snapshotId, payloadOfCanonical(text))
      const { sequence, createdAt, previousHash, hash } = entry
      summaries.push({ snapshotId, sequence, createdAt, previousHash, hash })
      previous = entry
    } catch (error) {
      if (error instanceof ChainError || error instanceof ReleasesError) {
        throw new ReleasesError(`The version chain is broken at ${error.message}`, error)
      }
      throw new ReleasesError(
        `The version chain is broken at ${snapshotId}: ${reasonOf(error)}`,
        error,
      )
    }
    for (const [resource, digest] of Object.entries(previous.resources)) {
      const key = `${resource} ${digest}`
      if (verified.has(key) || broken.has(key)) continue
      try {
        const text = store.readResourceText(resource, digest)
        const found = sha256Base64url(text)
        if (found !== digest) throw new Error(`expected digest ${digest}, found ${found}`)
        verified.set(key, text)
      } catch (error) {
        broken.set(key, { snapshotId, resource, reason: reasonOf(error), served: false })
      }
    }
  }
  if (previous === undefined) {
    throw new ReleasesError('No version is published; publish one first (npm run svc -- publish)')
  }
  const newest = previous
  const served = new Map<SnapshotName, Payload>()
  const faults = new Map(broken)
  for (const name of SNAPSHOT_NAMES) {
    const digest = newest.resources[name]
    const key = `${name} ${digest}`
    const text = verified.get(key)
    if (digest !== undefined && text !== undefined) {
      served.set(name, payloadOfCanonical(text, digest))
      continue
    }
    const reason = broken.get(key)?.reason ?? `${newest.snapshotId} does not hold this resource`
    faults.set(key, { snapshotId: newest.snapshotId, resource: name, reason, served: true })
  }
  const head = versions.get(newest.snapshotId)
  if (head === undefined) throw new ReleasesError(`${newest.snapshotId} was not kept`)
  return {
    head,
    headSnapshotId: newest.snapshotId,
    history: payloadOf({
      algorithm: CHAIN_ALGORITHM,
      count: summaries.length,
      head: { snapshotId: newest.snapshotId, hash: newest.hash },
      entries: summaries.toReversed(),
    }),
    snapshot: (name) => served.get(name),
    version: (snapshotId) => versions.get(snapshotId),
    faults: [...faults.values()],
  }
}
