import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandFailure } from '@public-api/cli-kit/command'
import {
  createArchiveClient,
  type ArchiveClient,
} from '@public-api/client-internal/log/archive-client'
import { ForkError } from '@public-api/client-internal/log/fork-evidence'
import { createHashTree } from '@public-api/client-internal/log/hash-tree'
import { digestOf } from '@public-api/client-internal/log/log-entry'
import type { LogPolicy } from '@public-api/client-internal/log/log-policy'
import { hashLeaf } from '@public-api/client-internal/log/merkle-tree'
import {
  formatBundle,
  TILE_HEIGHT,
  TILE_WIDTH,
  tilePath,
  tilesOf,
} from '@public-api/client-internal/log/tiles'
import {
  verifyCheckpoint,
  type VerifiedCheckpoint,
} from '@public-api/client-internal/log/verify-checkpoint'
import { readFileUpTo } from '@public-api/client-internal/node/read-file-up-to'
import { messageOf } from '@public-api/contract/errors/error-message'
import { type VersionEntry, versionHashText } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonObject } from '@public-api/contract/json/canonical-json'
import { RESOURCE_NAME_PATTERN } from '@public-api/contract/schemas/identifier-patterns'
import { MAX_RESOURCE_BYTES, readTextInput, withLogErrors } from './log-inputs.ts'

/** A copy after a run. */
export interface MirrorReport {
  readonly checkpoint: VerifiedCheckpoint
  /** Resources and versions that were not there before. */
  readonly added: number
  readonly redacted: number
  /** Whether the service served an older checkpoint than the copy has. */
  readonly isBehind: boolean
}

const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

/** Writes a complete file, durably, under its name. Throws a CommandFailure. */
async function writeWhole(file: string, content: string | Uint8Array): Promise<void> {
  const partial = `${file}.partial`
  try {
    await mkdir(path.dirname(file), { recursive: true })
    const handle = await open(partial, 'w', 0o644)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(partial, file)
  } catch (error) {
    await rm(partial, { force: true })
    throw new CommandFailure('UNWRITABLE', `${file}: could not be written (${messageOf(error)})`)
  }
}

/** The bytes of a file of the copy; undefined if it is missing, larger than any of its kind, or not a file. */
async function readIfThere(file: string, maxBytes: number): Promise<Buffer | undefined> {
  try {
    // Opening a named pipe would wait for its writer, and a device may never end.
    return (await stat(file)).isFile() ? await readFileUpTo(file, maxBytes) : undefined
  } catch {
    return undefined
  }
}

/** Writes verified bytes, unless the copy has them. Resolves with whether it wrote. */
async function repair(file: string, bytes: Uint8Array): Promise<boolean> {
  if ((await readIfThere(file, bytes.length))?.equals(bytes) === true) return false
  await writeWhole(file, bytes)
  return true
}

/** Refuses a checkpoint that contradicts that of the copy, and keeps both as evidence. */
async function compareWithCopy(
  archive: ArchiveClient,
  policy: LogPolicy,
  folder: string,
  checkpoint: VerifiedCheckpoint,
  nowMs: number,
): Promise<boolean> {
  const file = path.join(folder, 'log', 'checkpoint')
  if (!existsSync(file)) return false
  const note = await readTextInput(file)
  const known = await withLogErrors(
    () => verifyCheckpoint({ note, policy, nowMs, maxAgeSeconds: Infinity }),
    file,
  )
  // The tiles of the older tree at the service do not reach the newer one of the copy.
  if (known.size > checkpoint.size) return true
  try {
    await archive.compare(known, checkpoint)
  } catch (error) {
    if (!(error instanceof ForkError)) throw error
    const evidence = path.join(folder, `fork-${known.size}-${checkpoint.size}.json`)
    await writeWhole(evidence, `${JSON.stringify(error.evidence, undefined, 2)}\n`)
    throw new CommandFailure('FORK', `${error.message}; the evidence is in ${evidence}`)
  }
  return false
}

/** The tiles, bundles and versions of a verified history. */
async function writeLog(folder: string, versions: readonly VersionEntry[]): Promise<void> {
  const entries = versions.map((version) => Buffer.from(versionHashText(version)))
  const leaves: Uint8Array[] = []
  for (const entry of entries) leaves.push(await hashLeaf(entry))
  const tree = await createHashTree(Buffer.concat(leaves))
  for (const tile of tilesOf(versions.length)) {
    const start = tile.index * TILE_WIDTH
    const file = path.join(folder, 'log', tilePath(tile))
    const bytes =
      tile.level === 'entries'
        ? formatBundle(entries.slice(start, start + tile.width))
        : tree.slice(tile.level * TILE_HEIGHT, start, start + tile.width)
    await repair(file, bytes)
  }
}

/**
 * Copies the published files of a service into a folder, each verified before it is written, the checkpoint last. Files
 * of the copy are kept, unless their bytes are wrong. Throws a CommandFailure.
 */
export async function mirror(
  base: string,
  folder: string,
  policy: LogPolicy,
  nowMs: number,
): Promise<MirrorReport> {
  const archive = createArchiveClient({ base, policy, now: () => nowMs })
  const checkpoint = await archive.checkpoint()
  const isBehind = await compareWithCopy(archive, policy, folder, checkpoint, nowMs)
  if (isBehind) return { checkpoint, added: 0, redacted: 0, isBehind }
  const { versions } = await archive.history(checkpoint)
  const newest = versions.at(-1)
  const redactions: JsonObject[] = []
  let added = 0
  for (const version of versions) {
    for (const { resource: name } of version.changes) {
      const digest = version.resources[name]
      if (digest === undefined) continue
      if (!RESOURCE_NAME.test(name)) {
        throw new CommandFailure(
          'ENTRY',
          `${version.snapshotId} has a resource with an invalid name`,
        )
      }
      const file = path.join(folder, 'archive', 'resources', name, `${digest}.json`)
      const known = await readIfThere(file, MAX_RESOURCE_BYTES)
      if (known !== undefined && (await digestOf(known)) === digest) continue
      const { bytes, redacted } = await archive.resource(version, name)
      if (bytes !== undefined) {
        await writeWhole(file, bytes)
        added += 1
        continue
      }
      if (newest?.resources[name] === digest) {
        throw new CommandFailure('RESOURCE', `${name} of the newest version is missing`)
      }
      const tombstone = { ...redacted } as JsonObject
      redactions.push({ digest, resource: name, ...tombstone })
      const place = file.replace(/\.json$/, '.redacted.json')
      await writeWhole(place, canonicalJson(tombstone))
    }
    const file = path.join(folder, 'archive', 'versions', `${version.snapshotId}.json`)
    if (await repair(file, Buffer.from(canonicalJson({ ...version })))) added += 1
  }
  await writeLog(folder, versions)
  const index = { redactions, versions: versions.map(({ snapshotId }) => snapshotId) }
  await writeWhole(path.join(folder, 'archive', 'versions.json'), canonicalJson(index))
  await writeWhole(path.join(folder, 'log', 'checkpoint'), checkpoint.note)
  return { checkpoint, added, redacted: redactions.length, isBehind }
}
