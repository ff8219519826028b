import { sha256Base64url } from '../crypto/sha256.ts'
import type { ApiRequest, Reply } from '../http/api-request.ts'
import type { PublishedHistory } from '../service/releases/releases.ts'
import type { ServedTlog } from '../tlog/served-tlog.ts'
import { createFileReplies, IMMUTABLE, REVALIDATED, type PublishedFile } from './published-file.ts'

/** Path of the transparency log: c2sp.org/tlog-tiles below it, and two files of our own. */
const LOG_PATH = '/log/'
const PROOF = /^proof\/(VS-\d{4,15})\.tlog-proof$/

const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'

function file(type: string, cacheControl: string, body: string | Uint8Array): PublishedFile {
  return { type, cacheControl, etag: `"${sha256Base64url(body)}"`, body }
}

function textFile(body: string | undefined): PublishedFile | undefined {
  return body === undefined ? undefined : file(TEXT, REVALIDATED, body)
}

/**
 * Serves the transparency log: checkpoint, policy, tiles, bundles and proofs. Unsigned, because the log's own signature
 * and hashes prove them. Returns undefined for a path outside the log, and for every path without one.
 */
export function createLogRoutes(
  { tlog }: Pick<PublishedHistory, 'tlog'>,
  noIndex: boolean,
): (request: ApiRequest) => Promise<Reply> | undefined {
  const replies = createFileReplies(noIndex)

  async function find(path: string, log: ServedTlog): Promise<PublishedFile | undefined> {
    if (path === 'checkpoint') return textFile(log.checkpoint)
    const [, snapshotId] = PROOF.exec(path) ?? []
    if (snapshotId !== undefined) return textFile(await log.proof(snapshotId))
    const body = log.tile(path)
    return body && file(BYTES, IMMUTABLE, body)
  }

  async function reply(request: ApiRequest, published: NonNullable<PublishedHistory['tlog']>) {
    const other = replies.otherMethod(request.method)
    if (other !== undefined) return other
    const path = request.path.slice(LOG_PATH.length)
    if (path === 'policy') {
      const policy = textFile(await published.policy())
      return policy === undefined ? replies.failure(503) : replies.file(request, policy)
    }
    const log = await published.open()
    if (log === undefined) return replies.failure(503)
    const found = await find(path, log)
    return found === undefined ? replies.failure(404) : replies.file(request, found)
  }

  return (request) => {
    if (tlog === undefined || !request.path.startsWith(LOG_PATH)) return undefined
    return reply(request, tlog)
  }
}
