import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/http/headers'
import { sha256Base64url } from '../crypto/sha256.ts'
import type { ApiRequest, Reply } from '../http/api-request.ts'
import { matchesIfNoneMatch } from '../http/conditional.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from '../http/header-templates.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import type { ServedTlog } from '../tlog/served-tlog.ts'

/** Path of the transparency log: c2sp.org/tlog-tiles below it, and two files of our own. */
const LOG_PATH = '/log/'
const PROOF = /^proof\/(VS-\d{4,15})\.tlog-proof$/

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
/** A tile never changes: the tree only grows. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const REVALIDATED = 'public, max-age=0, must-revalidate'
const NO_STORE = 'no-store'
const ALLOWED_METHODS = 'GET, HEAD, OPTIONS'

interface LogFile {
  readonly type: typeof TEXT | typeof BYTES
  readonly cacheControl: string
  readonly body: string | Uint8Array
}

function textFile(body: string | undefined): LogFile | undefined {
  return body === undefined ? undefined : { type: TEXT, cacheControl: REVALIDATED, body }
}

/**
 * Serves the transparency log: checkpoint, policy, tiles, bundles and proofs. Unsigned, because the log's own signature
 * and hashes prove them. Returns undefined for a path outside the log, and for every path without one.
 */
export function createLogRoutes(
  { tlog }: Pick<PublishedHistory, 'tlog'>,
  noIndex: boolean,
): (request: ApiRequest) => Promise<Reply> | undefined {
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []
  const common = [...CORS_HEADERS, 'X-Content-Type-Options', 'nosniff', ...robotsTag]

  function failure(status: number, headers: readonly string[] = []): Reply {
    const caching = [HEADERS.contentLength, '0', HEADERS.cacheControl, NO_STORE]
    return { status, headers: [...caching, ...headers, ...common], body: undefined }
  }

  async function find(path: string, log: ServedTlog): Promise<LogFile | undefined> {
    if (path === 'checkpoint') return textFile(log.checkpoint)
    const [, snapshotId] = PROOF.exec(path) ?? []
    if (snapshotId !== undefined) return textFile(await log.proof(snapshotId))
    const body = log.tile(path)
    return body && { type: BYTES, cacheControl: IMMUTABLE, body }
  }

  async function reply(request: ApiRequest, published: NonNullable<PublishedHistory['tlog']>) {
    const { method } = request
    const path = request.path.slice(LOG_PATH.length)
    if (method === 'OPTIONS') {
      return { status: 204, headers: [...PREFLIGHT_HEADERS, ...robotsTag], body: undefined }
    }
    if (method !== 'GET' && method !== 'HEAD') return failure(405, [HEADERS.allow, ALLOWED_METHODS])
    let file: LogFile | undefined
    if (path === 'policy') {
      file = textFile(await published.policy())
      if (file === undefined) return failure(503)
    } else {
      const log = await published.open()
      if (log === undefined) return failure(503)
      file = await find(path, log)
    }
    if (file === undefined) return failure(404)
    const { type, cacheControl, body } = file
    const etag = `"${sha256Base64url(body)}"`
    const caching = [HEADERS.cacheControl, cacheControl, HEADERS.etag, etag, ...common]
    if (matchesIfNoneMatch(request.header('if-none-match'), etag)) {
      return { status: 304, headers: caching, body: undefined }
    }
    const length = String(Buffer.byteLength(body))
    const headers = [HEADERS.contentType, type, HEADERS.contentLength, length, ...caching]
    return { status: 200, headers, body: method === 'HEAD' ? undefined : body }
  }

  return (request) => {
    if (tlog === undefined || !request.path.startsWith(LOG_PATH)) return undefined
    return reply(request, tlog)
  }
}
