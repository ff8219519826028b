import fs from 'node:fs'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import type { RedactedResource, Redaction } from '@public-api/contract/history/redaction'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from '@public-api/contract/schemas/identifier-patterns'
import { parseInstant } from '@public-api/contract/text/instant'
import { digestFault } from '../crypto/sha256.ts'
import { readRegularFile } from '../files/read-regular-file.ts'
import { makeFolder, syncFolder } from '../files/sync-folder.ts'
import { createFile, replaceFile } from '../files/whole-file.ts'
import { readTlogFiles } from '../tlog/tlog-files.ts'

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

/** A file of a release is missing, damaged or refused; `path` is the file. */
export class ReleaseFileError extends Error {
  readonly code: ReleaseFileFault
  readonly path: string

  constructor(code: ReleaseFileFault, filePath: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'ReleaseFileError'
    this.code = code
    this.path = filePath
  }
}

const SNAPSHOT_ID = new RegExp(SNAPSHOT_ID_PATTERN)
const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

const REDACTION_FILE = /^(.+)\/([A-Za-z0-9_-]{43})\.redacted\.json$/
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)

function parseRedaction(text: string, filePath: string): Redaction {
  const value = parseJson(text)
  const reason = propertyOf(value, 'reason')
  const redactedAt = propertyOf(value, 'redactedAt')
  const isInstant = typeof redactedAt === 'string' && parseInstant(redactedAt) !== undefined
  if (typeof reason === 'string' && isInstant) {
    return { reason, redactedAt }
  }
  const message = `${filePath} is not a redaction; expected { reason, redactedAt }`
  throw new ReleaseFileError('UNREADABLE', filePath, message)
}

function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? '')
}

/** The largest files of a release. A version entry names one digest for each resource. */
const MAX_RELEASE_FILE_BYTES = { version: 1_048_576, resource: 8_388_608 } as const

/** More than a card with a photographic logo has. */
const MAX_CARD_BYTES = 4_194_304

/** Set regardless of the umask: the service may run as another user than the publisher. */
const PUBLIC_FILE = { mode: 0o644 } as const
const PUBLIC_FOLDER_MODE = 0o755

/** Undefined if the file is missing. */
function readText(filePath: string, kind: keyof typeof MAX_RELEASE_FILE_BYTES): string | undefined {
  try {
    return readRegularFile(filePath, MAX_RELEASE_FILE_BYTES[kind]).toString('utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    const message = `${filePath} cannot be read: ${messageOf(error)}`
    throw new ReleaseFileError('UNREADABLE', filePath, message, error)
  }
}

function missing(filePath: string): ReleaseFileError {
  return new ReleaseFileError('MISSING', filePath, `${filePath} is missing`)
}

/** The names in a folder; none if it is missing. */
function listNames(folder: string, recursive: boolean): readonly string[] {
  try {
    return fs.readdirSync(folder, { recursive, encoding: 'utf8' })
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    const message = `${folder} cannot be listed: ${messageOf(error)}`
    throw new ReleaseFileError('UNREADABLE', folder, message, error)
  }
}

/** Writes a file, in a folder that is created if it is missing. Throws a ReleaseFileError. */
function writeInFolder(filePath: string, write: () => void): void {
  try {
    makeFolder(path.dirname(filePath), PUBLIC_FOLDER_MODE)
    write()
  } catch (error) {
    if (error instanceof ReleaseFileError) throw error
    const message = `${filePath} cannot be written: ${messageOf(error)}`
    throw new ReleaseFileError('UNWRITABLE', filePath, message, error)
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
  const root = path.resolve(directory)
  const versionsFolder = path.join(root, 'versions')
  const resourcesFolder = path.join(root, 'resources')
  const cardsFolder = path.join(root, 'cards')

  function requireName(text: string, pattern: RegExp, folder: string, expected: string): void {
    if (pattern.test(text)) return
    throw new ReleaseFileError('INVALID_NAME', folder, `${JSON.stringify(text)} is not ${expected}`)
  }

  function versionPath(snapshotId: string): string {
    const expected = 'a version id; expected VS- and at least four digits'
    requireName(snapshotId, SNAPSHOT_ID, versionsFolder, expected)
    return path.join(versionsFolder, `${snapshotId}.json`)
  }

  function resourcePath(name: string, digest: string, suffix = '.json'): string {
    const expectedName = 'a resource name; expected kebab-case words joined by /'
    requireName(name, RESOURCE_NAME, resourcesFolder, expectedName)
    const folder = path.join(resourcesFolder, name)
    const expectedDigest = `a digest of ${name}; expected 43 base64url characters`
    requireName(digest, DIGEST, folder, expectedDigest)
    return path.join(folder, `${digest}${suffix}`)
  }

  function cardPath(name: string): string {
    requireName(name, DIGEST, cardsFolder, 'the name of a card; expected 43 base64url characters')
    return path.join(cardsFolder, `${name}.png`)
  }

  const redactionPath = (name: string, digest: string) =>
    resourcePath(name, digest, '.redacted.json')

  function assertDigest(filePath: string, text: string, digest: string, prefix = ''): void {
    const fault = digestFault(text, digest)
    if (fault === undefined) return
    throw new ReleaseFileError('DIGEST_MISMATCH', filePath, `${prefix}${fault}`)
  }

  /** The redaction of a resource, or undefined. */
  function readRedaction(name: string, digest: string): Redaction | undefined {
    const filePath = redactionPath(name, digest)
    const text = readText(filePath, 'version')
    return text === undefined ? undefined : parseRedaction(text, filePath)
  }

  return {
    readRedaction,

    /** The published files of the transparency log; undefined without one. Throws a TlogFileError. */
    readTlogFiles: () => readTlogFiles(root),

    /** The PNG of a social card; undefined without a readable one. */
    readCard(name: string): Uint8Array | undefined {
      try {
        return readRegularFile(cardPath(name), MAX_CARD_BYTES)
      } catch {
        return undefined
      }
    },

    /** Stores a social card, which no version names. Durable when it returns. */
    writeCard(name: string, png: Uint8Array): void {
      const filePath = cardPath(name)
      writeInFolder(filePath, () => replaceFile(filePath, png, PUBLIC_FILE))
    },

    /** Removes all social cards. */
    removeCards(): void {
      writeInFolder(cardsFolder, () => fs.rmSync(cardsFolder, { recursive: true, force: true }))
    },

    /** Ids of all published versions, in order of their sequence numbers. Empty when nothing was published yet. */
    readVersionIds(): readonly string[] {
      return listNames(versionsFolder, false)
        .filter((name) => name.endsWith('.json'))
        .map((name) => path.basename(name, '.json'))
        .filter((id) => SNAPSHOT_ID.test(id))
        .map((id) => ({ id, sequence: Number(id.slice('VS-'.length)) }))
        .toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id)
    },

    /** The text of one version entry. */
    readVersionText(snapshotId: string): string {
      const filePath = versionPath(snapshotId)
      const text = readText(filePath, 'version')
      if (text === undefined) throw missing(filePath)
      return text
    },

    /** The text of one resource. Throws REDACTED for a redacted one, DIGEST_MISMATCH for a damaged file. */
    readResourceText(name: string, digest: string): string {
      const filePath = resourcePath(name, digest)
      const text = readText(filePath, 'resource')
      if (text === undefined) {
        if (readRedaction(name, digest) === undefined) throw missing(filePath)
        throw new ReleaseFileError('REDACTED', filePath, `${filePath} was redacted`)
      }
      assertDigest(filePath, text, digest)
      return text
    },

    /**
     * Stores a resource; durable when it returns. May be repeated. Replaces a damaged file, whose content does not match
     * its name. A redacted resource is refused with REDACTED.
     */
    writeResource(name: string, digest: string, text: string): void {
      const filePath = resourcePath(name, digest)
      assertDigest(filePath, text, digest, `${name}: `)
      const { resource: maxBytes } = MAX_RELEASE_FILE_BYTES
      if (Buffer.byteLength(text) > maxBytes) {
        const message = `${name} has more than ${maxBytes} bytes; readers would refuse it`
        throw new ReleaseFileError('TOO_LARGE', filePath, message)
      }
      if (fs.existsSync(redactionPath(name, digest))) {
        throw new ReleaseFileError('REDACTED', filePath, `${name} was redacted with this content`)
      }
      writeInFolder(filePath, () => replaceFile(filePath, text, PUBLIC_FILE))
    },

    /**
     * Stores a version entry; durable and visible when it returns. Of several callers with one id exactly one succeeds;
     * the others get EXISTS. Every resource must have been written before.
     */
    appendVersion(snapshotId: string, text: string): void {
      const filePath = versionPath(snapshotId)
      writeInFolder(filePath, () => {
        try {
          // Fails on a file system without hard links, where a reader could find an empty version.
          createFile(filePath, text, PUBLIC_FILE)
        } catch (error) {
          if (!isErrno(error, 'EEXIST')) throw error
          const message = `${snapshotId} was published already; a published version is never replaced`
          throw new ReleaseFileError('EXISTS', filePath, message, error)
        }
      })
    },

    /** Every redaction, sorted by resource and digest. */
    listRedactions(): readonly RedactedResource[] {
      return listNames(resourcesFolder, true)
        .filter((entry) => entry.endsWith('.redacted.json'))
        .map((entry) => entry.split(path.sep).join('/'))
        .toSorted()
        .flatMap((entry) => {
          const [, resource, digest] = REDACTION_FILE.exec(entry) ?? []
          if (resource === undefined || digest === undefined) return []
          const redaction = readRedaction(resource, digest)
          return redaction === undefined ? [] : [{ resource, digest, ...redaction }]
        })
    },

    /**
     * Permanently removes the bytes of a resource and leaves its redaction. Durable when it returns. May be repeated: the
     * first redaction is kept, and bytes that a crash left behind are removed.
     */
    redactResource(name: string, digest: string, redaction: Redaction): void {
      const filePath = resourcePath(name, digest)
      writeInFolder(filePath, () => {
        // Writes the redaction first. After a crash the resource is redacted, and a repeated call removes the bytes.
        if (readRedaction(name, digest) === undefined) {
          replaceFile(redactionPath(name, digest), canonicalJson({ ...redaction }), PUBLIC_FILE)
        }
        const folder = path.dirname(filePath)
        for (const each of fs.readdirSync(folder)) {
          const isPartial = each.startsWith(`${digest}.json.`) && each.endsWith('.partial')
          if (isPartial || each === `${digest}.json`) {
            fs.rmSync(path.join(folder, each), { force: true })
          }
        }
        syncFolder(folder)
      })
    },
  }
}

export type ReleaseStore = ReturnType<typeof openReleaseStore>
