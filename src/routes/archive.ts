import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { HEADERS, NO_INDEX_HEADERS, RESPONSE_CONTENT_TYPE } from '@public-api/contract/http/headers'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
} from '@public-api/contract/schemas/identifier-patterns'
import type { ApiRequest, Reply } from '../http/api-request.ts'
import { matchesIfNoneMatch } from '../http/conditional.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from '../http/header-templates.ts'
import { createCanonicalPayload } from '../service/releases/payload.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'

/** Path of the archive: a copy of it is a copy of the releases folder (contract decisions section 10). */
const ARCHIVE_PATH = '/archive/'
const VERSIONS_INDEX = 'versions.json'
const VERSION = /^versions\/(VS-\d{4,})\.json$/
const RESOURCE = /^resources\/(.+)\/([^/]+)\.json$/
const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)

/** A file is named by the digest of its content, so it never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'
const NO_STORE = 'no-store'
const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

interface ArchiveFile {
  readonly status: 200 | 410
  readonly cacheControl: string
  readonly json: string
}

function immutable(json: string): ArchiveFile {
  return { status: 200, cacheControl: IMMUTABLE, json }
}

const STRONG_FROM = 'W/'.length

/** A strong tag with the digest of the bytes. They are canonical JSON, so it is that of a payload's weak tag. */
function strongTagOf(json: string): string {
  return createCanonicalPayload(json).etag.slice(STRONG_FROM)
}

function formatIndex({ headSnapshotId, redactions }: PublishedHistory): string {
  const count = Number(headSnapshotId.slice('VS-'.length))
  const versions = Array.from({ length: count }, (_, index) => formatSnapshotId(index + 1))
  return canonicalJson({ redactions: redactions.map((each) => ({ ...each })), versions })
}

function findResource(
  releases: PublishedHistory,
  name: string,
  digest: string,
): ArchiveFile | undefined {
  if (!RESOURCE_NAME.test(name) || !DIGEST.test(digest)) return undefined
  const redaction = releases.redactions.find(
    (each) => each.resource === name && each.digest === digest,
  )
  if (redaction !== undefined) {
    const { reason, redactedAt } = redaction
    const json = canonicalJson({ reason, redactedAt })
    return { status: 410, cacheControl: REVALIDATED, json }
  }
  // Looks for the file first, so that an unknown digest does not search all versions.
  const json = releases.readResource(name, digest)
  if (json === undefined || !releases.namesResource(name, digest)) return undefined
  return immutable(json)
}

/**
 * Serves the published files: `versions.json`, each version entry and each resource of a version, as the exact bytes
 * that were hashed. Responses are unsigned, because the signed chain contains every digest. Returns undefined for a
 * path outside the archive.
 */
export function createArchive(
  releases: PublishedHistory,
  noIndex: boolean,
): (request: ApiRequest) => Reply | undefined {
  let index: string | undefined
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []
  const common = [...CORS_HEADERS, 'X-Content-Type-Options', 'nosniff', ...robotsTag]

  function find(path: string): ArchiveFile | undefined {
    if (path === VERSIONS_INDEX) {
      index ??= formatIndex(releases)
      return { status: 200, cacheControl: REVALIDATED, json: index }
    }
    const [, snapshotId] = VERSION.exec(path) ?? []
    if (snapshotId !== undefined) {
      const entry = releases.version(snapshotId)
      return entry && immutable(entry.json)
    }
    const [, name = '', digest = ''] = RESOURCE.exec(path) ?? []
    return findResource(releases, name, digest)
  }

  return (request) => {
    const { method, path } = request
    if (!path.startsWith(ARCHIVE_PATH)) return undefined
    const file = find(path.slice(ARCHIVE_PATH.length))
    if (file === undefined) return undefined
    if (method === 'OPTIONS') {
      return { status: 204, headers: [...PREFLIGHT_HEADERS, ...robotsTag], body: undefined }
    }
    if (method !== 'GET' && method !== 'HEAD') {
      const headers = [HEADERS.allow, ALLOWED_METHODS, HEADERS.contentLength, '0', ...common]
      headers.push(HEADERS.cacheControl, NO_STORE)
      return { status: 405, headers, body: undefined }
    }
    const { status, json, cacheControl } = file
    const etag = strongTagOf(json)
    const caching = [HEADERS.cacheControl, cacheControl, HEADERS.etag, etag, ...common]
    if (status === 200 && matchesIfNoneMatch(request.header('if-none-match'), etag)) {
      return { status: 304, headers: caching, body: undefined }
    }
    const length = String(Buffer.byteLength(json))
    const headers = [HEADERS.contentType, RESPONSE_CONTENT_TYPE, HEADERS.contentLength, length]
    headers.push(...caching)
    return { status, headers, body: method === 'HEAD' ? undefined : json }
  }
}
