import { HEADERS, NO_INDEX_HEADERS } from '@public-api/contract/terms/headers'
import type { ApiRequest, Reply } from '../http/api-request.ts'
import { matchesIfNoneMatch } from '../http/conditional.ts'
import { CORS_HEADERS, PREFLIGHT_HEADERS } from '../http/header-templates.ts'

/** A file that is named by its digest, or a tile: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
export const REVALIDATED = 'public, max-age=0, must-revalidate'

/** A published file, as it is served. */
export interface PublishedFile {
  /** Default: 200. */
  readonly status?: 200 | 410
  readonly type: string
  readonly cacheControl: string
  /** A strong tag. */
  readonly etag: string
  readonly body: string | Uint8Array
}

/** Responses with published files. They are unsigned, because the signed chain or the log proves their bytes. */
export function createFileReplies(noIndex: boolean) {
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []
  const common = [...CORS_HEADERS, 'X-Content-Type-Options', 'nosniff', ...robotsTag]

  /** A response without a body, which nothing stores. */
  function failure(status: number, headers: readonly string[] = []): Reply {
    const caching = [HEADERS.contentLength, '0', HEADERS.cacheControl, 'no-store']
    return { status, headers: [...caching, ...headers, ...common], body: undefined }
  }

  return {
    failure,
    /** The response to a request that does not read; undefined for GET and HEAD. */
    otherMethod(method: string): Reply | undefined {
      if (method === 'OPTIONS') {
        return { status: 204, headers: [...PREFLIGHT_HEADERS, ...robotsTag], body: undefined }
      }
      if (method === 'GET' || method === 'HEAD') return undefined
      return failure(405, [HEADERS.allow, 'GET, HEAD, OPTIONS'])
    },
    /** The response to GET and HEAD. */
    file(
      request: ApiRequest,
      { status = 200, type, cacheControl, etag, body }: PublishedFile,
    ): Reply {
      const caching = [HEADERS.cacheControl, cacheControl, HEADERS.etag, etag, ...common]
      if (status === 200 && matchesIfNoneMatch(request.header('if-none-match'), etag)) {
        return { status: 304, headers: caching, body: undefined }
      }
      const length = String(Buffer.byteLength(body))
      const headers = [HEADERS.contentType, type, HEADERS.contentLength, length, ...caching]
      return { status, headers, body: request.method === 'HEAD' ? undefined : body }
    },
  }
}
