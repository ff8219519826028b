import { verifyChanges, verifyLink, type VersionEntry } from '#contract/history/version-chain'
import { parseJson } from '#contract/json/parse-json'
import { propertyOf } from '#contract/json/property-of'
import { platformFetch } from '#fetch'
import {
  ConnectionError,
  createConnection,
  type ConnectionLimits,
  type Fetch,
} from '../connection.ts'
import { verifyOneHistory } from './fork-evidence.ts'
import { treeOfEntries } from './hash-tree.ts'
import { digestOf, parseLogEntry } from './log-entry.ts'
import { LogError } from './log-error.ts'
import type { LogPolicy } from './log-policy.ts'
import { formatProof } from './log-proof.ts'
import { equalHashes, hashLeaf, inclusionProof, rootOf, verifyInclusion } from './merkle-tree.ts'
import {
  createTileHashes,
  parseBundle,
  TILE_WIDTH,
  tilePath,
  widestTile,
  type Tile,
} from './tiles.ts'
import { verifyCheckpoint, type VerifiedCheckpoint } from './verify-checkpoint.ts'

/** A full bundle of the longest entries. */
const MAX_BODY_BYTES = 16_900_000
/** The leaf hashes of a million entries have 32 MB. */
const MAX_ENTRIES = 1_000_000

/** Options of `createArchiveClient`. */
export interface ArchiveClientOptions extends ConnectionLimits {
  /** URL above `archive/` and `log/`: a service, or a copy of its files. */
  readonly base: string | URL
  /** Whom you trust. */
  readonly policy: LogPolicy
  /** Maximum age of the cosignatures in seconds. Default: 7 days. */
  readonly maxAgeSeconds?: number
  /** Sends the requests. Default: the fetch of the platform. */
  readonly fetch?: Fetch
  /** The clock: milliseconds since 1970. */
  readonly now?: () => number
}

/** The whole history, verified. */
export interface ArchiveHistory {
  /** The checkpoint over the versions. */
  readonly checkpoint: VerifiedCheckpoint
  /** Oldest first. */
  readonly versions: readonly VersionEntry[]
}

/** The bytes of a resource, or how it was redacted. */
export interface ArchivedResource {
  /** Canonical JSON, verified by the digest; undefined if the resource was redacted. */
  readonly bytes: Uint8Array | undefined
  /** How it was redacted, as the archive states it; undefined if it was not. */
  readonly redacted: ArchivedRedaction | undefined
}

/** A tombstone. It is not signed. */
export interface ArchivedRedaction {
  /** When the bytes were removed: ISO 8601 UTC. */
  readonly redactedAt: string
  /** As the operator states it. */
  readonly reason: string
}

/** Reads the published files of a service, from the service or from a copy anywhere, and trusts only the policy. */
export interface ArchiveClient {
  /** The newest checkpoint. */
  checkpoint(): Promise<VerifiedCheckpoint>
  /** All versions of a checkpoint: their hashes lead to its root, and they form a chain. */
  history(checkpoint?: VerifiedCheckpoint): Promise<ArchiveHistory>
  /** One version, verified by an inclusion proof from tiles. */
  version(snapshotId: string, checkpoint?: VerifiedCheckpoint): Promise<VersionEntry>
  /** The offline proof of one version, as text. It contains the entry. */
  proof(snapshotId: string, checkpoint?: VerifiedCheckpoint): Promise<string>
  /** A resource of a verified version. Only the redaction is unsigned. */
  resource(version: VersionEntry, name: string): Promise<ArchivedResource>
  /** Checks that an earlier checkpoint and a newer one are of one history. Throws a ForkError with evidence. */
  compare(earlier: VerifiedCheckpoint, newer: VerifiedCheckpoint): Promise<void>
}

/** The place of a version in the log. Throws a TypeError for anything but an id such as VS-0008. */
function indexOf(snapshotId: string): number {
  const sequence = /^VS-(\d{4,15})$/.exec(snapshotId)?.[1]
  if (sequence === undefined || Number(sequence) === 0) {
    throw new TypeError(`${snapshotId}: expected the id of a version, such as VS-0008`)
  }
  return Number(sequence) - 1
}

/**
 * Creates a client for the published files of a service. It sends nothing before the first call. Its methods throw a
 * LogError for what must not be trusted, a ChainError for a broken chain and a ConnectionError without a response.
 *
 * @example
 * ```ts
 * import { createArchiveClient, openPolicy } from '@public-api/client/log'
 *
 * const policy = await openPolicy(policyText)
 * const archive = createArchiveClient({ base: 'https://mirror.example.net/copy/', policy })
 * const { versions } = await archive.history()
 * ```
 */
export function createArchiveClient(options: ArchiveClientOptions): ArchiveClient {
  const {
    base,
    policy,
    maxAgeSeconds,
    fetch: fetchOne = platformFetch,
    now = Date.now,
    timeoutMs,
  } = options
  const { maxBodyBytes = MAX_BODY_BYTES } = options
  const { origin, pathname } = new URL(base)
  const prefix = pathname.replace(/\/*$/, '/')
  const connection = createConnection(origin, fetchOne, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    maxBodyBytes,
  })

  async function read(path: string): Promise<Uint8Array> {
    const { status, body } = await connection.send(prefix + path, {}, undefined)
    if (status === 200 && body !== undefined) return body
    // A proxy's error says nothing about the log.
    if (status === 429 || status >= 500) {
      throw new ConnectionError(origin + prefix + path, new Error(`status ${status}`))
    }
    throw new LogError('MALFORMED', `${path}: status ${status}, expected 200`)
  }
  const readTile = (tile: Tile): Promise<Uint8Array> => read(`log/${tilePath(tile)}`)

  async function readBundle(index: number, size: number): Promise<readonly Uint8Array[]> {
    const tile = widestTile('entries', index, size)
    return tile === undefined ? [] : parseBundle(await readTile(tile), tile.width)
  }

  async function checkpoint(): Promise<VerifiedCheckpoint> {
    const bytes = await read('log/checkpoint')
    let note: string
    try {
      note = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    } catch {
      throw new LogError('MALFORMED', 'the checkpoint is not UTF-8')
    }
    const age = maxAgeSeconds === undefined ? {} : { maxAgeSeconds }
    return verifyCheckpoint({ note, policy, nowMs: now(), ...age })
  }

  /** A version with its entry and the hashes that prove it. */
  async function prove(snapshotId: string, head: VerifiedCheckpoint) {
    const index = indexOf(snapshotId)
    const { size, root } = head
    if (index >= size) {
      throw new LogError('ENTRY', `${snapshotId}: the log has ${size} entries`)
    }
    const entries = await readBundle(Math.floor(index / TILE_WIDTH), size)
    const entry = entries[index % TILE_WIDTH] as Uint8Array
    const hashes = await inclusionProof(createTileHashes(size, readTile), index, size)
    await verifyInclusion({ index, size, leafHash: await hashLeaf(entry), proof: hashes, root })
    return { entry, index, hashes, version: await parseLogEntry(entry, index) }
  }

  return {
    checkpoint,

    async history(given) {
      const head = given ?? (await checkpoint())
      const { size, root } = head
      if (size > MAX_ENTRIES) {
        throw new LogError(
          'MALFORMED',
          `the log has ${size} entries; expected at most ${MAX_ENTRIES}`,
        )
      }
      const entries: Uint8Array[] = []
      for (let bundle = 0; bundle * TILE_WIDTH < size; bundle += 1) {
        entries.push(...(await readBundle(bundle, size)))
      }
      const versions: VersionEntry[] = []
      for (const [index, entry] of entries.entries()) {
        versions.push(await parseLogEntry(entry, index))
      }
      if (!equalHashes(await rootOf(await treeOfEntries(entries), size), root)) {
        throw new LogError('INCLUSION', `the ${size} entries do not lead to the root of the tree`)
      }
      for (const [index, version] of versions.entries()) {
        verifyLink(versions[index - 1], version, version.hash)
        verifyChanges(versions[index - 1], version)
      }
      return { checkpoint: head, versions }
    },

    async version(snapshotId, given) {
      return (await prove(snapshotId, given ?? (await checkpoint()))).version
    },

    async proof(snapshotId, given) {
      const head = given ?? (await checkpoint())
      const { entry, index, hashes } = await prove(snapshotId, head)
      return formatProof({ entry, index, hashes, note: head.note })
    },

    async resource(version, name) {
      const digest = version.resources[name]
      if (digest === undefined) throw new TypeError(`${version.snapshotId} has no ${name}`)
      const path = `archive/resources/${name}/${digest}.json`
      const { status, body } = await connection.send(prefix + path, {}, undefined)
      const content = status === 410 ? parseJson(body) : undefined
      const [redactedAt, reason] = [
        propertyOf(content, 'redactedAt'),
        propertyOf(content, 'reason'),
      ]
      if (typeof redactedAt === 'string' && typeof reason === 'string') {
        return { bytes: undefined, redacted: { redactedAt, reason } }
      }
      if (status !== 200) throw new LogError('RESOURCE', `${path}: status ${status}, expected 200`)
      if ((await digestOf(body)) !== digest) {
        throw new LogError('RESOURCE', `${path}: the bytes have another digest`)
      }
      return { bytes: body, redacted: undefined }
    },

    async compare(earlier, newer) {
      const size = Math.max(earlier.size, newer.size)
      await verifyOneHistory(earlier.note, newer.note, createTileHashes(size, readTile))
    },
  }
}
