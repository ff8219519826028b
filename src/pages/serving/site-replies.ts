import { propertyOf } from '@public-api/contract/json/property-of'
import { HEADERS } from '@public-api/contract/terms/headers'
import type { ApiRequest, Reply } from '../../http/api-request.ts'
import type { Log } from '../../service/logger.ts'
import { NO_CACHING } from './site-file.ts'

/** Plain text, because page rendering has failed. */
const FAILURE_TEXT = 'This page cannot be shown at the moment. The API is at /api/v1.\n'

/** The replies of the site other than files. `headers` are those of every response outside the API. */
export function createSiteReplies({
  headers: common,
  log,
}: {
  readonly headers: readonly string[]
  readonly log: Log
}) {
  function reply(status: number, headers: readonly string[], body?: string): Reply {
    const length = String(Buffer.byteLength(body ?? ''))
    return { status, headers: [HEADERS.contentLength, length, ...headers, ...common], body }
  }

  return {
    redirect(status: 302 | 307 | 308, target: string, headers: readonly string[] = []): Reply {
      // A 307 must not be cached.
      const caching = status === 307 ? NO_CACHING : 'public, max-age=60'
      return reply(status, ['Location', target, HEADERS.cacheControl, caching, ...headers])
    },
    notAllowed: (): Reply =>
      reply(405, [HEADERS.allow, 'GET, HEAD', HEADERS.cacheControl, NO_CACHING]),
    /** Logged, and tried again with the next request: a defect, or files that changed under the running service. */
    failed(request: ApiRequest, error: unknown): Reply {
      const isGone = propertyOf(error, 'code') === 'ERR_MODULE_NOT_FOUND'
      const message = isGone
        ? 'Part of the program is missing; restart the service'
        : 'Page rendering failed'
      log.error({ err: error }, message)
      const type = [HEADERS.contentType, 'text/plain; charset=utf-8']
      const failure = reply(
        isGone ? 503 : 500,
        [...type, HEADERS.cacheControl, NO_CACHING],
        FAILURE_TEXT,
      )
      return request.method === 'HEAD' ? { ...failure, body: undefined } : failure
    },
  }
}
