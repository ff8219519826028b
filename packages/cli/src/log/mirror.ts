import { existsSync, readdirSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { CommandFailure, EXIT_CODES } from '@public-api/cli-kit/command'
import { pluralOf } from '@public-api/cli-kit/wording'
import { createClient } from '@public-api/client-internal/client'
import { fetchCopyProof, isLaterProof } from '@public-api/client-internal/copies/fetch-copy-proof'
import { readRedactions } from '@public-api/client-internal/history/redactions'
import {
  createArchiveClient,
  type ArchiveClient,
} from '@public-api/client-internal/log/archive-client'
import { ForkError, verifyOneHistory } from '@public-api/client-internal/log/fork-evidence'
import { treeOfEntries } from '@public-api/client-internal/log/hash-tree'
import { digestOf } from '@public-api/client-internal/log/log-entry'
import { LogError } from '@public-api/client-internal/log/log-error'
import { createLagFailure } from '@public-api/client-internal/log/log-finding'
import type { LogPolicy } from '@public-api/client-internal/log/log-policy'
import { HASH_BYTES } from '@public-api/client-internal/log/merkle-tree'
import {
  createTileHashes,
  formatBundle,
  type Tile,
  TILE_HEIGHT,
  TILE_WIDTH,
  tilePath,
  tilesOf,
} from '@public-api/client-internal/log/tiles'
import {
  verifyCheckpoint,
  type VerifiedCheckpoint,
} from '@public-api/client-internal/log/verify-checkpoint'
import {
  makeFolder,
  removePartialFiles,
  removeWithPartials,
  replaceFile,
} from '@public-api/client-internal/node/durable-file'
import {
  LockedError,
  LockFileError,
  withFileLock,
} from '@public-api/client-internal/node/file-lock'
import { requireOwnPath } from '@public-api/client-internal/node/own-path'
import { readFileUpTo } from '@public-api/client-internal/node/read-file-up-to'
import { messageOf } from '@public-api/contract/errors/error-message'
import { type VersionEntry, versionHashText } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonObject } from '@public-api/contract/json/canonical-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { RESOURCE_NAME_PATTERN } from '@public-api/contract/terms/identifier-patterns'
import type { AuditFinding } from '../auditing/evidence-file.ts'
import { readTextInput } from '../verifying/saved-response.ts'
import { MAX_RESOURCE_BYTES, MAX_TEXT_BYTES, withLogErrors } from './log-inputs.ts'

/** A copy after a run. */
export type MirrorRun = Awaited<ReturnType<typeof copyAll>>

/** The served checkpoint contradicts that of the copy, or has fewer versions. */
export class CopyFinding extends Error {
  override readonly name = 'CopyFinding'
  /** Both signed checkpoints, and the file for them. LAGGING is not settled: a release in progress explains it. */
  readonly finding: AuditFinding & { readonly evidenceFile: string }

  constructor(detail: string, finding: CopyFinding['finding']) {
    super(detail.startsWith(finding.code) ? detail : `${finding.code}: ${detail}`)
    this.finding = finding
  }
}

const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

/** Readable by any static host, whatever the umask. */
const FOLDER_MODE = 0o755
const FILE_RIGHTS = { mode: 0o644 }
/** How long to wait for another `svc mirror` of the same folder. */
const MAX_WAIT_MS = 60_000

/** Throws a CommandFailure for a path of the copy that leads through a link, which could end anywhere. */
function requireOwn(folder: string, name: string, kind: 'file' | 'folder'): void {
  try {
    if (name !== '.') requireOwnPath(folder, name, kind)
  } catch (error) {
    throw new CommandFailure('UNWRITABLE', `${folder}: ${messageOf(error)}`)
  }
}

/** Writes a complete file of the copy, durably, under its name. Throws a CommandFailure. */
function writeWhole(folder: string, name: string, content: string | Uint8Array): void {
  requireOwn(folder, path.dirname(name), 'folder')
  const file = path.join(folder, name)
  try {
    makeFolder(path.dirname(file), FOLDER_MODE)
    replaceFile(file, content, FILE_RIGHTS)
  } catch (error) {
    throw new CommandFailure('UNWRITABLE', `${file}: could not be written (${messageOf(error)})`)
  }
}

/**
 * The bytes of a file of the copy; undefined if it is missing, not a file, or larger than any of its kind. Throws a
 * CommandFailure.
 */
async function readIfThere(
  folder: string,
  name: string,
  maxBytes: number,
): Promise<Buffer | undefined> {
  requireOwn(folder, path.dirname(name), 'folder')
  const file = path.join(folder, name)
  try {
    // Opening a named pipe would wait for its writer. A link is replaced.
    return (await lstat(file)).isFile() ? await readFileUpTo(file, maxBytes) : undefined
  } catch {
    return undefined
  }
}

/** Writes verified bytes, unless the copy has them. Resolves with whether it wrote. */
async function repair(folder: string, name: string, bytes: Uint8Array): Promise<boolean> {
  if ((await readIfThere(folder, name, bytes.length))?.equals(bytes) === true) return false
  writeWhole(folder, name, bytes)
  return true
}

/** A tile of the copy. */
async function readTileOf(folder: string, tile: Tile): Promise<Uint8Array> {
  const bytes = await readIfThere(folder, `log/${tilePath(tile)}`, TILE_WIDTH * HASH_BYTES)
  if (bytes?.length === tile.width * HASH_BYTES) return bytes
  throw new LogError('CONSISTENCY', `${tilePath(tile)} is missing or damaged`)
}

/**
 * Compares the served checkpoint with that of the copy, by the tiles of the larger tree. Throws a CopyFinding: FORK if they
 * contradict each other, LAGGING or WITHHELD if the served one is a prefix.
 */
async function requireExtended(
  archive: ArchiveClient,
  policy: LogPolicy,
  folder: string,
  served: VerifiedCheckpoint,
  nowMs: number,
): Promise<void> {
  const file = path.join(folder, 'log', 'checkpoint')
  requireOwn(folder, 'log/checkpoint', 'file')
  if (!existsSync(file)) return
  const note = await readTextInput(file, MAX_TEXT_BYTES)
  const known = await withLogErrors(
    () => verifyCheckpoint({ note, policy, nowMs, maxAgeSeconds: Infinity }),
    file,
  )
  const find = (code: string, detail: string, evidence: object) => {
    const name = `${code.toLowerCase()}-${known.size}-${served.size}.json`
    return new CopyFinding(detail, { code, evidence, evidenceFile: path.join(folder, name) })
  }
  try {
    if (known.size <= served.size) {
      await archive.compare(known, served)
      return
    }
    const tiles = createTileHashes(known.size, (tile) => readTileOf(folder, tile))
    await verifyOneHistory(served.note, known.note, tiles)
  } catch (error) {
    if (error instanceof ForkError) throw find('FORK', error.message, error.evidence)
    if (known.size <= served.size || !(error instanceof LogError)) throw error
    throw new CommandFailure(
      'COPY',
      `${folder}: its files do not lead to its checkpoint (${error.message}); the service has fewer versions, so they cannot be repaired from it`,
      { exitCode: EXIT_CODES.usage },
    )
  }
  const detail = `the service has ${pluralOf(served.size, 'version')}, and ${folder} ${known.size}`
  const statements = { checkpoint: known.note, shown: served.note, keys: [] }
  const { code, message, evidence } = await createLagFailure(detail, statements, { policy, nowMs })
  throw find(code, message, evidence)
}

/** The tiles, bundles and versions of a verified history. */
async function writeLog(folder: string, versions: readonly VersionEntry[]): Promise<void> {
  const entries = versions.map((version) => Buffer.from(versionHashText(version)))
  const tree = await treeOfEntries(entries)
  for (const tile of tilesOf(versions.length)) {
    const start = tile.index * TILE_WIDTH
    const bytes =
      tile.level === 'entries'
        ? formatBundle(entries.slice(start, start + tile.width))
        : tree.slice(tile.level * TILE_HEIGHT, start, start + tile.width)
    await repair(folder, `log/${tilePath(tile)}`, bytes)
  }
}

/**
 * Copies the published files of a service into a folder, each verified before it is written, the checkpoint last. Files
 * of the copy are kept, unless their bytes are wrong. Runs alone in the folder. Throws a CommandFailure or a CopyFinding.
 */
export async function mirror(
  base: string,
  folder: string,
  policy: LogPolicy,
  nowMs: number,
): Promise<MirrorRun> {
  try {
    makeFolder(path.resolve(folder), FOLDER_MODE)
    const lock = path.join(folder, '.lock')
    return await withFileLock(lock, MAX_WAIT_MS, () => copyAll(base, folder, policy, nowMs))
  } catch (error) {
    if (error instanceof LockedError) {
      throw new CommandFailure('LOCKED', `another svc mirror works on ${folder}`, {
        exitCode: EXIT_CODES.unreachable,
      })
    }
    if (error instanceof LockFileError) throw new CommandFailure('UNWRITABLE', error.message)
    const code = propertyOf(error, 'code')
    if (propertyOf(error, 'syscall') === undefined || typeof code !== 'string') throw error
    throw new CommandFailure('UNWRITABLE', `${folder}: could not be written (${messageOf(error)})`)
  }
}

/**
 * Whether the service says that it removed a resource. That is not signed. The copy follows it, because an erasure must reach
 * each copy. The chain keeps the digest, and the tombstone says when and why. What the newest version has stays.
 */
async function redactedBy(base: string, newest: VersionEntry | undefined) {
  const { origin, pathname } = new URL(base)
  const client = createClient({ baseUrl: origin, maxRetries: 0 })
  const listed = await readRedactions(client, undefined, `${pathname}archive/versions.json`)
  const names = new Set(listed.map(({ resource, digest }) => `${resource}/${digest}`))
  return (name: string, digest: string): boolean =>
    names.has(`${name}/${digest}`) && newest?.resources[name] !== digest
}

/** Removes what killed runs left in the folders of the copy. */
function removeLeftovers(folder: string): void {
  if (!existsSync(folder)) return
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const place of new Set(names.map((name) => path.dirname(name)))) {
    removePartialFiles(path.join(folder, place))
  }
}

async function copyAll(base: string, folder: string, policy: LogPolicy, nowMs: number) {
  removeLeftovers(folder)
  const archive = createArchiveClient({ base, policy, now: () => nowMs })
  const checkpoint = await archive.checkpoint()
  await requireExtended(archive, policy, folder, checkpoint, nowMs)
  const { versions } = await archive.history(checkpoint)
  const newest = versions.at(-1)
  const isRedacted = await redactedBy(base, newest)
  const redactions: JsonObject[] = []
  let added = 0
  let removed = 0
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
      const file = `archive/resources/${name}/${digest}.json`
      const known = await readIfThere(folder, file, MAX_RESOURCE_BYTES)
      const isKnown = known !== undefined && (await digestOf(known)) === digest
      if (isKnown && !isRedacted(name, digest)) continue
      const { bytes, redacted } = await archive.resource(version, name)
      if (bytes !== undefined) {
        writeWhole(folder, file, bytes)
        added += 1
        continue
      }
      if (newest?.resources[name] === digest) {
        throw new CommandFailure('RESOURCE', `${name} of the newest version is missing`)
      }
      const tombstone = { ...redacted } as JsonObject
      redactions.push({ digest, resource: name, ...tombstone })
      const place = file.replace(/\.json$/, '.redacted.json')
      writeWhole(folder, place, canonicalJson(tombstone))
      removed += removeWithPartials(path.join(folder, file))
    }
    const file = `archive/versions/${version.snapshotId}.json`
    if (await repair(folder, file, Buffer.from(canonicalJson({ ...version })))) added += 1
  }
  await writeLog(folder, versions)
  const index = { redactions, versions: versions.map(({ snapshotId }) => snapshotId) }
  writeWhole(folder, 'archive/versions.json', canonicalJson(index))
  writeWhole(folder, 'log/checkpoint', checkpoint.note)
  const now = await proveNow(base, folder, versions)
  return { checkpoint, added, redacted: redactions.length, removed, now }
}

/**
 * Writes `now.json`: signed responses of the service, which prove that the newest version of the copy was the newest. Keeps
 * the old one if the service does not respond, serves a version that the verified log does not have, or one before it.
 */
async function proveNow(
  base: string,
  folder: string,
  versions: readonly VersionEntry[],
): Promise<{ readonly snapshotId: string } | { readonly reason: string }> {
  try {
    const client = createClient({ baseUrl: new URL(base).origin, maxRetries: 0 })
    const { entry, ...proof } = await fetchCopyProof(client)
    const { snapshotId } = entry
    if (!versions.some(({ hash }) => hash === entry.hash)) {
      return { reason: `the log does not have ${snapshotId}, which the service serves` }
    }
    const known = await readIfThere(folder, 'now.json', MAX_RESOURCE_BYTES)
    const now = { origin: proof.origin, entry, nowMs: Date.now() }
    if (known !== undefined && (await isLaterProof(known, now))) {
      return { reason: `the service serves ${snapshotId}, and signed a later version before` }
    }
    writeWhole(folder, 'now.json', `${JSON.stringify(proof)}\n`)
    return { snapshotId }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    return { reason: messageOf(error) }
  }
}
