import { isUtf8 } from 'node:buffer'
import fs from 'node:fs'
import path from 'node:path'
import {
  createFile,
  makeFolder,
  PARTIAL_PATTERN,
  removePartialFiles,
  removeWithPartials,
  replaceFile,
  syncFolder,
} from '@public-api/client-internal/node/durable-file'
import { requireOwnPath } from '@public-api/client-internal/node/own-path'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { RedactedResource, RedactionRecord } from '@public-api/contract/history/redaction'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
} from '@public-api/contract/terms/identifier-patterns'
import { parseInstant } from '@public-api/contract/text/instant'
import { digestFault } from '../crypto/sha256.ts'
import { type FolderEntry, listBelow, readBelow } from '../files/folder-files.ts'
import { carriageReturnFault } from '../files/git-files.ts'
import { readPngChunks } from '../files/png-chunks.ts'
import {
  readTlogFile,
  readTlogFiles,
  TLOG_FILE_NAMES,
  type TlogFileName,
} from '../tlog/tlog-files.ts'

/** Reasons of a ReleaseFileError. */
export type ReleaseFileFault =
  | 'MISSING'
  /** The resource was redacted. Its bytes are removed and must not be stored again. */
  | 'REDACTED'
  | 'UNREADABLE'
  | 'UNWRITABLE'
  | 'EXISTS'
  | 'INVALID_NAME'
  | 'DIGEST_MISMATCH'
  | 'TOO_LARGE'

/** A file of a release is missing, damaged or refused. */
export class ReleaseFileError extends Error {
  readonly code: ReleaseFileFault

  constructor(code: ReleaseFileFault, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ReleaseFileError'
    this.code = code
  }
}

/** Each version has one name: `VS-0000` and `VS-00001` are of none. */
const SNAPSHOT_ID = /^VS-(?!0000\b)(?:\d{4}|[1-9]\d{4,})$/
const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

const REDACTION_FILE = /^(.+)\/([A-Za-z0-9_-]{43})\.redacted\.json$/
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)

function parseRedaction(text: string, filePath: string): RedactionRecord {
  const value = parseJson(text)
  const reason = propertyOf(value, 'reason')
  const redactedAt = propertyOf(value, 'redactedAt')
  const isInstant = typeof redactedAt === 'string' && parseInstant(redactedAt) !== undefined
  if (typeof reason === 'string' && isInstant) {
    return { reason, redactedAt }
  }
  const message = `${filePath} is not a redaction; expected { reason, redactedAt }`
  throw new ReleaseFileError('UNREADABLE', message)
}

function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

/** The largest files of a release. A version entry names one digest for each resource. */
const MAX_RELEASE_FILE_BYTES = { version: 1_048_576, resource: 8_388_608 } as const

/** Texts are read into it: memory for each of thousands would be free again only with the next full collection. */
const room = Buffer.allocUnsafe(1_048_576)

/** More than a card with a photographic logo has. */
const MAX_CARD_BYTES = 4_194_304

/** Set regardless of the umask: the service may run as another user than the publisher. */
const PUBLIC_FILE = { mode: 0o644 } as const
const PUBLIC_FOLDER_MODE = 0o755

const bare = (pattern: string): string => pattern.slice(1, -1)
const DIGEST_NAME = bare(SHA256_BASE64URL_PATTERN)

/** What all versions together say. */
const RECORD_FILE = 'record.json'

/** The files of a releases folder, also under the temporary names that an interrupted write leaves. */
const KNOWN_FILES: readonly RegExp[] = [
  String.raw`versions/${bare(SNAPSHOT_ID.source)}\.json`,
  String.raw`resources/${bare(RESOURCE_NAME_PATTERN)}/${DIGEST_NAME}(?:\.redacted)?\.json`,
  String.raw`cards/${DIGEST_NAME}\.png`,
  'record\\.json',
  String.raw`log/(?:${TLOG_FILE_NAMES.map((name) => RegExp.escape(name)).join('|')})`,
].map((pattern) => new RegExp(`^${pattern}(?:${PARTIAL_PATTERN})?$`))

/** Whether these bytes are one PNG, with one IHDR and nothing after it. */
function isPng(bytes: Buffer): boolean {
  const chunks = readPngChunks(bytes)
  const headers = chunks?.filter(({ type }) => type === 'IHDR') ?? []
  return headers.length === 1 && chunks?.at(-1)?.end === bytes.length
}

/** Files of git. A repository may also have its own `.gitkeep`, because git stores no empty folder. */
const GIT_FILE = /^(?:log\/)?\.git(?:attributes|ignore|keep)$/

/** What is wrong with an entry of a releases folder; undefined for a folder and for a file of a release. */
export function foreignFault({ name, kind }: FolderEntry): string | undefined {
  if (kind === 'folder') return undefined
  if (kind !== 'file') return `found a ${kind}, expected a regular file`
  const isKnown = GIT_FILE.test(name) || KNOWN_FILES.some((pattern) => pattern.test(name))
  return isKnown ? undefined : 'found a file that is not part of a release, expected none'
}

function assertDigest(text: string | Uint8Array, digest: string, prefix = ''): void {
  const fault = digestFault(text, digest)
  if (fault !== undefined) throw new ReleaseFileError('DIGEST_MISMATCH', `${prefix}${fault}`)
}

/** The files of one releases folder: their names, and reading and writing with errors that name the file. */
function createReleaseFolder(directory: string) {
  const root = path.resolve(directory)
  const pathOf = (name: string): string => path.join(root, name)

  function requireName(text: string, pattern: RegExp, expected: string): void {
    if (pattern.test(text)) return
    const message = `${JSON.stringify(text)} is not ${expected}`
    throw new ReleaseFileError('INVALID_NAME', message)
  }

  // Files are named by their path below the root, with slashes.

  function versionFile(snapshotId: string): string {
    const expected = 'a version id; expected VS- and at least four digits'
    requireName(snapshotId, SNAPSHOT_ID, expected)
    return `versions/${snapshotId}.json`
  }

  function resourceFile(name: string, digest: string, suffix = '.json'): string {
    const expectedName = 'a resource name; expected kebab-case words joined by /'
    requireName(name, RESOURCE_NAME, expectedName)
    const expectedDigest = `a digest of ${name}; expected 43 base64url characters`
    requireName(digest, DIGEST, expectedDigest)
    return `resources/${name}/${digest}${suffix}`
  }

  function cardFile(name: string): string {
    requireName(name, DIGEST, 'the name of a card; expected 43 base64url characters')
    return `cards/${name}.png`
  }

  const redactionFile = (name: string, digest: string) =>
    resourceFile(name, digest, '.redacted.json')

  /** The bytes of a text, until the next one is read. Undefined if the file is missing. */
  function readText(file: string, kind: keyof typeof MAX_RELEASE_FILE_BYTES): Buffer | undefined {
    try {
      const text = readBelow(root, file, MAX_RELEASE_FILE_BYTES[kind], room)
      const fault = carriageReturnFault(text)
      if (fault !== undefined) throw new Error(fault)
      return text
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return undefined
      const message = `${pathOf(file)} cannot be read: ${messageOf(error)}`
      throw new ReleaseFileError('UNREADABLE', message, error)
    }
  }

  function missing(file: string): ReleaseFileError {
    return new ReleaseFileError('MISSING', `${pathOf(file)} is missing`)
  }

  /** The entries below a folder of the root; none if it is missing. */
  function list(folder?: string): readonly FolderEntry[] {
    try {
      return listBelow(root, folder)
    } catch (error) {
      if (isErrno(error, 'ENOENT')) return []
      const place = pathOf(folder ?? '')
      const message = `${place} cannot be listed: ${messageOf(error)}`
      throw new ReleaseFileError('UNREADABLE', message, error)
    }
  }

  /** Writes a file, in a folder that is created if it is missing. */
  function writeInFolder(file: string, write: (filePath: string) => void): void {
    const filePath = pathOf(file)
    try {
      requireOwnPath(root, file)
      makeFolder(path.dirname(filePath), PUBLIC_FOLDER_MODE)
      write(filePath)
    } catch (error) {
      if (error instanceof ReleaseFileError) throw error
      const message = `${filePath} cannot be written: ${messageOf(error)}`
      throw new ReleaseFileError('UNWRITABLE', message, error)
    }
  }

  /** The redaction of a resource, or undefined. */
  function readRedaction(name: string, digest: string): RedactionRecord | undefined {
    const file = redactionFile(name, digest)
    const text = readText(file, 'version')
    return text === undefined ? undefined : parseRedaction(text.toString('utf8'), pathOf(file))
  }

  return {
    root,
    pathOf,
    versionFile,
    resourceFile,
    cardFile,
    redactionFile,
    readText,
    missing,
    list,
    writeInFolder,
    readRedaction,
  }
}

/** What publishers compute from the versions and keep beside them: no version names it, and readers can do without. */
function createDerivedFiles({
  root,
  pathOf,
  cardFile,
  writeInFolder,
}: ReturnType<typeof createReleaseFolder>) {
  return {
    /** The PNG of a social card; undefined without a readable one. */
    readCard(name: string): Uint8Array | undefined {
      try {
        const bytes = readBelow(root, cardFile(name), MAX_CARD_BYTES)
        return isPng(bytes) ? bytes : undefined
      } catch {
        return undefined
      }
    },

    /** Stores a social card, which no version names. Durable when it returns. */
    writeCard(name: string, png: Uint8Array): void {
      writeInFolder(cardFile(name), (filePath) => replaceFile(filePath, png, PUBLIC_FILE))
    },

    /**
     * What all versions together say, as the newest publisher computed it, so that readers need not: no version names it,
     * and it names the version that it ends with. Undefined without a readable one.
     */
    readRecord(): string | undefined {
      try {
        return readBelow(root, RECORD_FILE, MAX_RELEASE_FILE_BYTES.resource).toString('utf8')
      } catch {
        return undefined
      }
    },

    /** Stores the record. Durable when it returns. */
    writeRecord(text: string): void {
      writeInFolder(RECORD_FILE, (filePath) => replaceFile(filePath, text, PUBLIC_FILE))
    },

    /** Removes all social cards. */
    removeCards(): void {
      writeInFolder('cards/all', () => fs.rmSync(pathOf('cards'), { recursive: true, force: true }))
    },
  }
}

/**
 * Published releases on disk: the version chain and the resources that its entries name. Every file is exactly the
 * canonical JSON text (RFC 8785) in UTF-8 with no newline at its end: what is stored is what is hashed and served.
 *
 * Readers never see an incomplete file or version. Published files never change; only redaction removes one. A store
 * keeps no state, so several processes may use one folder at a time. The first write creates the folder. Every method
 * throws a ReleaseFileError.
 */
export function openReleaseStore(directory: string) {
  const folder = createReleaseFolder(directory)
  const { root, pathOf, versionFile, resourceFile, redactionFile } = folder
  const { readText, missing, list, writeInFolder, readRedaction } = folder

  /**
   * The bytes of one resource, until the next file is read. Throws REDACTED for a redacted one, DIGEST_MISMATCH for a damaged
   * file, also for one that is not UTF-8.
   */
  function readResource(name: string, digest: string): Buffer {
    const file = resourceFile(name, digest)
    const text = readText(file, 'resource')
    if (text === undefined) {
      if (readRedaction(name, digest) === undefined) throw missing(file)
      throw new ReleaseFileError('REDACTED', `${pathOf(file)} was redacted`)
    }
    assertDigest(isUtf8(text) ? text : text.toString('utf8'), digest)
    return text
  }

  return {
    readRedaction,

    /** The published files of the transparency log; undefined without one. Throws a TlogError. */
    readTlogFiles: () => readTlogFiles(root),

    /** One file of the log, also one that is not served; undefined if it does not exist. Throws a TlogError. */
    readTlogFile: (name: TlogFileName) => readTlogFile(root, name),

    /** Every entry of the folder, also of other kinds than a release has. */
    listEntries: () => list(),

    ...createDerivedFiles(folder),

    /** Ids of all published versions, in order of their sequence numbers. Empty when nothing was published yet. */
    readVersionIds(): readonly string[] {
      return list('versions')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.json'))
        .map((name) => path.basename(name, '.json'))
        .filter((id) => SNAPSHOT_ID.test(id))
        .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    },

    /** The text of one version entry. */
    readVersionText(snapshotId: string): string {
      const file = versionFile(snapshotId)
      const text = readText(file, 'version')
      if (text === undefined) throw missing(file)
      return text.toString('utf8')
    },

    readResource,

    /** The text of one resource. Throws REDACTED for a redacted one, DIGEST_MISMATCH for a damaged file. */
    readResourceText: (name: string, digest: string): string =>
      readResource(name, digest).toString('utf8'),

    /**
     * Stores a resource; durable when it returns. May be repeated. Replaces a damaged file, whose content does not match
     * its name. A redacted resource is refused with REDACTED.
     */
    writeResource(name: string, digest: string, text: string): void {
      const file = resourceFile(name, digest)
      assertDigest(text, digest, `${name}: `)
      const { resource: maxBytes } = MAX_RELEASE_FILE_BYTES
      if (Buffer.byteLength(text) > maxBytes) {
        const message = `${name} has more than ${maxBytes} bytes; readers would refuse it`
        throw new ReleaseFileError('TOO_LARGE', message)
      }
      if (fs.existsSync(pathOf(redactionFile(name, digest)))) {
        const message = `${name} was redacted with this content`
        throw new ReleaseFileError('REDACTED', message)
      }
      writeInFolder(file, (filePath) => replaceFile(filePath, text, PUBLIC_FILE))
    },

    /**
     * Stores a version entry; durable and visible when it returns. Of several callers with one id exactly one succeeds;
     * the others get EXISTS. Every resource must have been written before.
     */
    appendVersion(snapshotId: string, text: string): void {
      writeInFolder(versionFile(snapshotId), (filePath) => {
        try {
          // Fails on a file system without hard links, where a reader could find an empty version.
          createFile(filePath, text, PUBLIC_FILE, 'refuse')
        } catch (error) {
          if (!isErrno(error, 'EEXIST')) throw error
          const message = `${snapshotId} was published already; a published version is never replaced`
          throw new ReleaseFileError('EXISTS', message, error)
        }
        removePartialFiles(path.dirname(filePath))
      })
    },

    /** How many redactions there are, also of those that cannot be read. */
    countRedactions: (): number =>
      list('resources').filter(({ name }) => REDACTION_FILE.test(name)).length,

    /** Every redaction, sorted by resource and digest. */
    listRedactions(): readonly RedactedResource[] {
      return list('resources')
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.redacted.json'))
        .toSorted()
        .flatMap((name) => {
          const [, resource, digest] = REDACTION_FILE.exec(name) ?? []
          if (resource === undefined || digest === undefined) return []
          const redaction = readRedaction(resource, digest)
          return redaction === undefined ? [] : [{ resource, digest, ...redaction }]
        })
    },

    /**
     * Permanently removes the bytes of a resource and leaves its redaction. Durable when it returns. May be repeated: the
     * first redaction is kept, and bytes that a crash left behind are removed.
     */
    redactResource(name: string, digest: string, redaction: RedactionRecord): void {
      writeInFolder(resourceFile(name, digest), (filePath) => {
        // Writes the redaction first. After a crash the resource is redacted, and a repeated call removes the bytes.
        if (readRedaction(name, digest) === undefined) {
          const file = pathOf(redactionFile(name, digest))
          replaceFile(file, canonicalJson({ ...redaction }), PUBLIC_FILE)
        }
        removeWithPartials(filePath)
        syncFolder(path.dirname(filePath))
      })
    },
  }
}

export type ReleaseStore = ReturnType<typeof openReleaseStore>
