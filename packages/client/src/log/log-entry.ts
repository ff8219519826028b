import { isVersionEntry } from '#contract/history/entry-shape'
import {
  formatSnapshotId,
  VERSION_HASH_LABEL,
  type VersionEntry,
} from '#contract/history/version-chain'
import { isCanonicalJson } from '#contract/json/canonical-json'
import { parseJson } from '#contract/json/parse-json'
import { propertyOf } from '#contract/json/property-of'
import { sha256, sha256Hex } from '#crypto'
import { encodeBase64url } from '../base64.ts'
import { LogError } from './log-error.ts'
import { MAX_ENTRY_BYTES } from './tiles.ts'

/**
 * The version at a place of the log. The bytes are the text whose SHA-256 is the version's `hash`. Throws a LogError
 * (ENTRY) unless they are the canonical text of the version with that sequence number.
 */
export async function parseLogEntry(bytes: Uint8Array, index: number): Promise<VersionEntry> {
  const refuse = (fault: string): never => {
    throw new LogError('ENTRY', `entry ${index}: ${fault}`)
  }
  if (bytes.length > MAX_ENTRY_BYTES) return refuse(`has more than ${MAX_ENTRY_BYTES} bytes`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return refuse('is not UTF-8')
  }
  const label = `${VERSION_HASH_LABEL}\n`
  if (!text.startsWith(label)) return refuse(`does not begin with the line ${VERSION_HASH_LABEL}`)
  const json = text.slice(label.length)
  const value = parseJson(json)
  if (!isCanonicalJson(json, value)) return refuse('is not canonical JSON (RFC 8785)')
  // The hash follows from the bytes, so they do not contain it.
  if (propertyOf(value, 'hash') !== undefined) return refuse('contains a hash')
  const version = { ...(value as object), hash: await sha256Hex(bytes) }
  if (!isVersionEntry(version)) return refuse('is not a version entry')
  const snapshotId = formatSnapshotId(index + 1)
  if (version.sequence !== index + 1 || version.snapshotId !== snapshotId) {
    const { sequence } = version
    return refuse(`expected ${snapshotId}, found ${version.snapshotId}, sequence ${sequence}`)
  }
  return version
}

/** The digest of a resource as an entry states it: base64url SHA-256 of its bytes. */
export async function digestOf(bytes: Uint8Array): Promise<string> {
  return encodeBase64url(await sha256(bytes))
}
