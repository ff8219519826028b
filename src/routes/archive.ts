import { formatSnapshotId } from '@public-api/contract/history/version-chain'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { RESPONSE_CONTENT_TYPE } from '@public-api/contract/terms/headers'
import {
  RESOURCE_NAME_PATTERN,
  SHA256_BASE64URL_PATTERN,
} from '@public-api/contract/terms/identifier-patterns'
import type { ApiRequest, Reply } from '../http/api-request.ts'
import { createCanonicalPayload } from '../service/releases/payload.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import { createFileReplies, IMMUTABLE, REVALIDATED, type PublishedFile } from './published-file.ts'

/** Path of the archive: a copy of it is a copy of the releases folder (contract decisions section 10). */
const ARCHIVE_PATH = '/archive/'
const VERSIONS_INDEX = 'versions.json'
const VERSION = /^versions\/(VS-\d{4,})\.json$/
const RESOURCE = /^resources\/(.+)\/([^/]+)\.json$/
const RESOURCE_NAME = new RegExp(RESOURCE_NAME_PATTERN)
const DIGEST = new RegExp(SHA256_BASE64URL_PATTERN)

const STRONG_FROM = 'W/'.length

/** A file with a strong tag: the bytes are canonical JSON, so their digest is that of a payload's weak tag. */
function jsonFile(json: string, cacheControl: string): PublishedFile {
  const etag = createCanonicalPayload(json).etag.slice(STRONG_FROM)
  return { type: RESPONSE_CONTENT_TYPE, cacheControl, etag, body: json }
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
): PublishedFile | undefined {
  if (!RESOURCE_NAME.test(name) || !DIGEST.test(digest)) return undefined
  const redaction = releases.redactions.find(
    (each) => each.resource === name && each.digest === digest,
  )
  if (redaction !== undefined) {
    const { reason, redactedAt } = redaction
    return { ...jsonFile(canonicalJson({ reason, redactedAt }), REVALIDATED), status: 410 }
  }
  // Looks for the file first, so that an unknown digest does not search all versions.
  const stored = releases.readResource(name, digest)
  if (stored === undefined || !releases.namesResource(name, digest)) return undefined
  return jsonFile(stored.json, IMMUTABLE)
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
  const replies = createFileReplies(noIndex)

  function find(path: string): PublishedFile | undefined {
    if (path === VERSIONS_INDEX) {
      index ??= formatIndex(releases)
      return jsonFile(index, REVALIDATED)
    }
    const [, snapshotId] = VERSION.exec(path) ?? []
    if (snapshotId !== undefined) {
      const entry = releases.version(snapshotId)
      return entry && jsonFile(entry.json, IMMUTABLE)
    }
    const [, name = '', digest = ''] = RESOURCE.exec(path) ?? []
    return findResource(releases, name, digest)
  }

  return (request) => {
    const { method, path } = request
    if (!path.startsWith(ARCHIVE_PATH)) return undefined
    const file = find(path.slice(ARCHIVE_PATH.length))
    return file && (replies.otherMethod(method) ?? replies.file(request, file))
  }
}
