import fs from 'node:fs'
import path from 'node:path'

import { messageOf } from '../contract/error-message.ts'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from '../contract/identifier-patterns.ts'
import { canonicalJson } from '../contract/canonical-json.ts'
import { parseInstant } from '../contract/instant.ts'
import { parseJson } from '../contract/parse-json.ts'
import { propertyOf } from '../contract/property-of.ts'
import type { RedactedResource, Redaction } from '../contract/redaction.ts'
import { digestFault } from '../crypto/resource-digest.ts'
import { makeFolder } from './make-folder.ts'
import { readRegularFile } from './read-regular-file.ts'
import { syncFolder } from './sync-folder.ts'
import { createFile, replaceFile } from './whole-file.ts'

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

/**
 * Published releases on disk: the version chain and the resources that its entries name. Every file is exactly the
 * canonical JSON text (RFC 8785) in UTF-8 with no newline at its end: what is stored is what is hashed and served.
 *
 * Readers never see an incomplete file or version. Published files never change; only redaction removes one. A store
 * keeps no state, so several processes may use one folder at a time.
 */
export interface ReleaseStore {
  /** Ids of all published versions, in order of their sequence numbers. Empty when nothing was published yet. */
  readVersionIds(): readonly string[]
  /** The text of one version entry. Throws a ReleaseFileError. */
  readVersionText(snapshotId: string): string
  /**
   * The text of one resource. Throws a ReleaseFileError, REDACTED for a redacted one, DIGEST_MISMATCH for a damaged
   * file.
   */
  readResourceText(name: string, digest: string): string
  /**
   * Stores a resource; durable when it returns. May be repeated. Replaces a damaged file, whose content does not match
   * its name. A redacted resource is refused with REDACTED.
   */
  writeResource(name: string, digest: string, text: string): void
  /**
   * Stores a version entry; durable and visible when it returns. Of several callers with one id exactly one
   * succeeds; the others get a ReleaseFileError with the code EXISTS. Every resource must have been written before.
   */
  appendVersion(snapshotId: string, text: string): void
  /** The redaction of a resource, or undefined. Throws a ReleaseFileError. */
  readRedaction(name: string, digest: string): Redaction | undefined
  /** Every redaction, sorted by resource and digest. Throws a ReleaseFileError. */
  listRedactions(): readonly RedactedResource[]
  /**
   * Permanently removes the bytes of a resource and leaves its redaction. Durable when it returns. May be repeated: the
   * first redaction is kept, and bytes that a crash left behind are removed.
   */
  redactResource(name: string, digest: string, redaction: Redaction): void
}

const SNAPSHOT_ID = new RegExp(SNAPSHOT_ID_PATTERN)
const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)

const REDACTION_FILE = /^(.+)\/([A-Za-z0-9_-]{43})\.redacted\.json$/
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)
const VERSION_FILE_SUFFIX = '.json'
const REDACTION_FILE_SUFFIX = '.redacted.json'

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

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code
}

/** The largest files of a release. A version entry names one digest for each resource. */
const MAX_RELEASE_FILE_BYTES = { version: 1_048_576, resource: 8_388_608 } as const

function readText(filePath: string, maxBytes: number): string {
  try {
    return readRegularFile(filePath, maxBytes).toString('utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) {
      throw new ReleaseFileError('MISSING', filePath, `${filePath} is missing`, error)
    }
    const message = `${filePath} cannot be read: ${messageOf(error)}`
    throw new ReleaseFileError('UNREADABLE', filePath, message, error)
  }
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
    makeFolder(path.dirname(filePath))
    write()
  } catch (error) {
    if (error instanceof ReleaseFileError) throw error
    const message = `${filePath} cannot be written: ${messageOf(error)}`
    throw new ReleaseFileError('UNWRITABLE', filePath, message, error)
  }
}

/** Opens a release folder. The first write creates it. */
export function openReleaseStore(directory: string): ReleaseStore {
  const root = path.resolve(directory)
  const versionsFolder = path.join(root, 'versions')
  const resourcesFolder = path.join(root, 'resources')

  function requireName(text: string, pattern: RegExp, folder: string, expected: string): void {
    if (pattern.test(text)) return
    throw new ReleaseFileError('INVALID_NAME', folder, `${JSON.stringify(text)} is not ${expected}`)
  }

  function versionPath(snapshotId: string): string {
    const expected = 'a version id; expected VS- and at least four digits'
    requireName(snapshotId, SNAPSHOT_ID, versionsFolder, expected)
    return path.join(versionsFolder, `${snapshotId}${VERSION_FILE_SUFFIX}`)
  }

  function resourcePath(name: string, digest: string): string {
    const expectedName = 'a resource name; expected kebab-case words joined by /'
    requireName(name, RESOURCE_NAME, resourcesFolder, expectedName)
    const folder = path.join(resourcesFolder, name)
    const expectedDigest = `a digest of ${name}; expected 43 base64url characters`
    requireName(digest, DIGEST, folder, expectedDigest)
    return path.join(folder, `${digest}.json`)
  }

  function redactionPath(name: string, digest: string): string {
    return resourcePath(name, digest).replace(/\.json$/, REDACTION_FILE_SUFFIX)
  }

  function readRedaction(name: string, digest: string): Redaction | undefined {
    const filePath = redactionPath(name, digest)
    try {
      return parseRedaction(readText(filePath, MAX_RELEASE_FILE_BYTES.version), filePath)
    } catch (error) {
      if (error instanceof ReleaseFileError && error.code === 'MISSING') return undefined
      throw error
    }
  }

  function listRedactions(): readonly RedactedResource[] {
    return listNames(resourcesFolder, true)
      .map((entry) => entry.split(path.sep).join('/'))
      .toSorted()
      .flatMap((entry) => {
        const [, resource, digest] = REDACTION_FILE.exec(entry) ?? []
        if (resource === undefined || digest === undefined) return []
        const redaction = readRedaction(resource, digest)
        return redaction === undefined ? [] : [{ resource, digest, ...redaction }]
      })
  }

  return {
    readRedaction,
    listRedactions,

    redactResource(name, digest, redaction) {
      const filePath = resourcePath(name, digest)
      writeInFolder(filePath, () => {
        // Writes the redaction first. After a crash the resource is redacted, and a repeated call removes the bytes.
        if (readRedaction(name, digest) === undefined) {
          replaceFile(redactionPath(name, digest), canonicalJson({ ...redaction }))
        }
        const folder = path.dirname(filePath)
        const leftovers = fs
          .readdirSync(folder)
          .filter((each) => each.startsWith(`${digest}.json.`) && each.endsWith('.partial'))
        for (const each of [path.basename(filePath), ...leftovers]) {
          fs.rmSync(path.join(folder, each), { force: true })
        }
        syncFolder(folder)
      })
    },

    readVersionIds() {
      return listNames(versionsFolder, false)
        .filter((name) => name.endsWith(VERSION_FILE_SUFFIX))
        .map((name) => name.slice(0, -VERSION_FILE_SUFFIX.length))
        .filter((id) => SNAPSHOT_ID.test(id))
        .map((id) => ({ id, sequence: Number(id.slice('VS-'.length)) }))
        .toSorted((a, b) => a.sequence - b.sequence || (a.id < b.id ? -1 : 1))
        .map(({ id }) => id)
    },

    readVersionText(snapshotId) {
      return readText(versionPath(snapshotId), MAX_RELEASE_FILE_BYTES.version)
    },

    readResourceText(name, digest) {
      const filePath = resourcePath(name, digest)
      let text: string
      try {
        text = readText(filePath, MAX_RELEASE_FILE_BYTES.resource)
      } catch (error) {
        const isMissing = error instanceof ReleaseFileError && error.code === 'MISSING'
        if (!isMissing || readRedaction(name, digest) === undefined) throw error
        throw new ReleaseFileError('REDACTED', filePath, `${filePath} was redacted`, error)
      }
      const fault = digestFault(text, digest)
      if (fault !== undefined) throw new ReleaseFileError('DIGEST_MISMATCH', filePath, fault)
      return text
    },

    writeResource(name, digest, text) {
      const filePath = resourcePath(name, digest)
      const fault = digestFault(text, digest)
      if (fault !== undefined) {
        throw new ReleaseFileError('DIGEST_MISMATCH', filePath, `${name}: ${fault}`)
      }
      const { resource: maxBytes } = MAX_RELEASE_FILE_BYTES
      if (Buffer.byteLength(text) > maxBytes) {
        const message = `${name} has more than ${maxBytes} bytes; readers would refuse it`
        throw new ReleaseFileError('TOO_LARGE', filePath, message)
      }
      if (fs.existsSync(redactionPath(name, digest))) {
        throw new ReleaseFileError('REDACTED', filePath, `${name} was redacted with this content`)
      }
      writeInFolder(filePath, () => replaceFile(filePath, text))
    },

    appendVersion(snapshotId, text) {
      const filePath = versionPath(snapshotId)
      writeInFolder(filePath, () => {
        try {
          // Fails on a file system without hard links, where a reader could find an empty version.
          createFile(filePath, text)
        } catch (error) {
          if (!isErrno(error, 'EEXIST')) throw error
          const message = `${snapshotId} was published already; a published version is never replaced`
          throw new ReleaseFileError('EXISTS', filePath, message, error)
        }
      })
    },
  }
}
