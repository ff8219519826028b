import { messageOf } from './error-message.ts'
import { canonicalJson, type JsonValue } from './canonical-json.ts'
import {
  SHA256_BASE64URL_PATTERN,
  SHA256_HEX_PATTERN,
  SNAPSHOT_ID_PATTERN,
} from './identifier-patterns.ts'
import { parseInstant } from './instant.ts'
import { verifyChanges } from './version-changes.ts'
import { CHANGE_KINDS, type VersionEntry, verifyLink, versionHashText } from './version-chain.ts'

const SNAPSHOT_ID = new RegExp(SNAPSHOT_ID_PATTERN)
const HASH = new RegExp(SHA256_HEX_PATTERN)
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)

/** A version entry is invalid: unreadable, not JSON, not canonical, or a member is missing or has the wrong shape. */
export class VersionEntryError extends Error {
  /** The expected entry, named by its file or path. */
  readonly snapshotId: string

  constructor(snapshotId: string, problem: string, cause?: unknown) {
    super(`${snapshotId}: ${problem}`, cause === undefined ? undefined : { cause })
    this.name = 'VersionEntryError'
    this.snapshotId = snapshotId
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && parseInstant(value) !== undefined
}

function isMatch(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function isChange(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value['resource'] === 'string' &&
    CHANGE_KINDS.some((kind) => kind === value['kind'])
  )
}

/** The rule of each member, with its message. Additional members are allowed; the hash covers them too. */
const MEMBERS: readonly (readonly [
  name: keyof VersionEntry,
  isRight: (value: unknown) => boolean,
  expected: string,
])[] = [
  ['snapshotId', (value) => isMatch(value, SNAPSHOT_ID), 'VS- and at least four digits'],
  ['sequence', (value) => Number.isSafeInteger(value), 'an integer'],
  ['createdAt', isInstant, 'an ISO 8601 time in UTC'],
  ['apiVersion', (value) => typeof value === 'string', 'text'],
  ['registryVersion', (value) => typeof value === 'string', 'text'],
  [
    'resources',
    (value) => isObject(value) && Object.values(value).every((digest) => isMatch(digest, DIGEST)),
    'an object of digests, each 43 base64url characters',
  ],
  [
    'changes',
    (value) => Array.isArray(value) && value.every(isChange),
    `an array of { resource, kind }, the kind one of ${CHANGE_KINDS.join(', ')}`,
  ],
  ['note', (value) => typeof value === 'string', 'text'],
  ['previousHash', (value) => isMatch(value, HASH), '64 lower-case hexadecimal digits'],
  ['hash', (value) => isMatch(value, HASH), '64 lower-case hexadecimal digits'],
]

function isVersionEntry(
  value: unknown,
  snapshotId: string,
): value is VersionEntry & { readonly [name: string]: JsonValue } {
  if (!isObject(value)) {
    throw new VersionEntryError(snapshotId, 'the entry is not a JSON object')
  }
  for (const [name, isRight, expected] of MEMBERS) {
    if (!isRight(value[name])) {
      throw new VersionEntryError(
        snapshotId,
        `${name} is ${value[name] === undefined ? 'missing' : 'invalid'}; expected ${expected}`,
      )
    }
  }
  return true
}

/**
 * Parses the stored text of a version entry. Throws a VersionEntryError if the shape is wrong or the text is not the
 * canonical JSON that was hashed. `snapshotId` is the id under which the text was found, for the error. `verifyLink`
 * checks the place of the entry in the chain.
 */
export function parseVersionEntry(text: string, snapshotId: string): VersionEntry {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new VersionEntryError(snapshotId, 'the entry is not JSON')
  }
  if (!isVersionEntry(value, snapshotId) || canonicalJson(value) !== text) {
    throw new VersionEntryError(
      snapshotId,
      'the text is not the canonical JSON (RFC 8785) of the entry',
    )
  }
  return value
}

/** A version entry with the text it was read from, which is its canonical JSON. */
export interface StoredVersion {
  readonly entry: VersionEntry
  readonly text: string
}

/** Where a chain is read from, and the head it must have. */
export interface VersionChainSource {
  /** Ids of all versions, oldest first. */
  readonly snapshotIds: readonly string[]
  /** The text of one version entry. An error is reported for that entry. */
  readonly readText: (snapshotId: string) => string
  /** SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal. */
  readonly sha256Hex: (text: string) => string
}

/**
 * Yields every version, oldest first, without storing any. Checks each entry against the previous one (`after` for
 * the first), its hash against its content, and its `changes` against its resources. Throws a VersionEntryError or a
 * ChainError that names the first invalid entry.
 */
export function* walkVersionChain(
  source: VersionChainSource,
  after?: VersionEntry,
): Generator<StoredVersion, undefined> {
  let previous = after
  for (const snapshotId of source.snapshotIds) {
    const text = readTextOf(source, snapshotId)
    const entry = parseVersionEntry(text, snapshotId)
    // A renamed file would link and hash correctly, but occupy the place of the next version.
    if (entry.snapshotId !== snapshotId) {
      throw new VersionEntryError(snapshotId, `the entry there is ${entry.snapshotId}`)
    }
    verifyLink(previous, entry, source.sha256Hex(versionHashText(entry)))
    verifyChanges(previous, entry)
    previous = entry
    yield { entry, text }
  }
}

function readTextOf({ readText }: VersionChainSource, snapshotId: string): string {
  try {
    return readText(snapshotId)
  } catch (error) {
    const reason = messageOf(error)
    throw new VersionEntryError(snapshotId, reason, error)
  }
}
