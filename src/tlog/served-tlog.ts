import {
  parseSignedCheckpoint,
  type SignedCheckpoint,
} from '@public-api/client-internal/log/checkpoint'
import type { HashTree } from '@public-api/client-internal/log/hash-tree'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { formatProof } from '@public-api/client-internal/log/log-proof'
import { equalHashes, inclusionProof, rootOf } from '@public-api/client-internal/log/merkle-tree'
import {
  formatBundle,
  isTileOf,
  parseTilePath,
  TILE_HEIGHT,
  TILE_WIDTH,
} from '@public-api/client-internal/log/tiles'
import { messageOf } from '@public-api/contract/errors/error-message'
import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { storedHashText } from '../crypto/published-history.ts'
import { leafOf, treeOf } from './log-entries.ts'
import type { TlogFiles } from './tlog-files.ts'

/** The published log, ready to serve. Nothing beyond the published checkpoint is served. */
export type ServedTlog = Awaited<ReturnType<typeof createServedTlog>>

/** Versions that a log contains: the canonical JSON of each, and its hash, oldest first. */
interface LoggedVersions {
  readonly texts: readonly string[]
  /** The canonical JSON of each entry's summary, newest first. */
  readonly summaries: readonly string[]
}

/** A summary has five members, and no other one contains this text. */
const SUMMARY_HASH = /"hash":"([0-9a-f]{64})"/

/** The entry of a version. Not stored: ten thousand of them would have another 13 MB. */
function entryAt({ texts, summaries }: LoggedVersions, index: number): string {
  const [, hash = ''] = SUMMARY_HASH.exec(summaries[texts.length - 1 - index] ?? '') ?? []
  return storedHashText(texts[index] ?? '', hash)
}

/**
 * Prepares the published log. Rejects with an Error if the checkpoint does not fit the versions: another origin, more
 * entries, or another root.
 */
async function createServedTlog({ origin, checkpoint = '' }: TlogFiles, versions: LoggedVersions) {
  const head: SignedCheckpoint = parseSignedCheckpoint(checkpoint, 'log/checkpoint')
  const { size, root } = head
  if (head.origin !== origin) {
    throw new Error('log/origin, line 1: expected the origin of log/checkpoint')
  }
  if (size > versions.texts.length) {
    const count = versions.texts.length
    throw new Error(`log/checkpoint has ${size} entries; ${count} versions are published`)
  }
  const tree: HashTree = await treeOf(size, (index) => leafOf(entryAt(versions, index)))
  if (!equalHashes(await rootOf(tree, size), root)) {
    throw new Error(`log/checkpoint has another root than the ${size} published versions`)
  }
  return {
    /** The signed checkpoint as published. */
    checkpoint,
    /** Number of entries of the checkpoint. */
    size,
    /** Bytes of a tile or bundle; undefined if the path names none of the published tree. */
    tile(path: string): Uint8Array | undefined {
      const tile = parseTilePath(path)
      if (tile === undefined || !isTileOf(tile, size)) return undefined
      const start = tile.index * TILE_WIDTH
      return tile.level === 'entries'
        ? formatBundle(
            Array.from({ length: tile.width }, (_each, at) =>
              Buffer.from(entryAt(versions, start + at)),
            ),
          )
        : tree.slice(tile.level * TILE_HEIGHT, start, start + tile.width)
    },
    /** The offline proof of a version; undefined if the checkpoint does not contain it. */
    async proof(snapshotId: string): Promise<string | undefined> {
      const index = Number(snapshotId.slice('VS-'.length)) - 1
      if (!(index >= 0 && index < size) || formatSnapshotId(index + 1) !== snapshotId)
        return undefined
      const entry = Buffer.from(entryAt(versions, index))
      const hashes = await inclusionProof(tree, index, size)
      return formatProof({ entry, index, hashes, note: checkpoint })
    },
  }
}

/** The files of the transparency log, and what is served of them. */
export type PublishedTlog = ReturnType<typeof publishTlog>

/** Publishes the log of these versions. */
export function publishTlog(files: TlogFiles, versions: LoggedVersions) {
  let policy: Promise<string | undefined> | undefined
  let opened: Promise<ServedTlog | undefined> | undefined
  let fault: string | undefined
  return {
    files,
    /** The text of its policy; undefined unless it is one, so that no other text leaves the service. */
    policy: () =>
      (policy ??= openPolicy(files.policy).then(
        () => files.policy,
        () => undefined,
      )),
    /** Prepares the log at its first call; undefined if it cannot be served. */
    open: () =>
      (opened ??= createServedTlog(files, versions).catch((error: unknown) => {
        fault = messageOf(error)
        return undefined
      })),
    /** Why it cannot be served, once `open` has found out. */
    fault: () => fault,
  }
}
