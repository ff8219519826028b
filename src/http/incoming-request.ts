import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../contract/headers.ts'
import { pathOf, type ApiRequest } from './api-request.ts'
import type { RequestBody } from './request-body.ts'

/**
 * Of these Node keeps only the first line. A key must not hide behind another's, and neither must what a body is or where
 * it comes from.
 */
const TOLD_WHOLE: ReadonlySet<string> = new Set(
  [HEADERS.authorization, HEADERS.contentType, HEADERS.referer].map((name) => name.toLowerCase()),
)

/** A request of node:http as the pipeline sees it. `target` is in origin form. */
export function apiRequestOf(
  request: IncomingMessage,
  target: string,
  body: RequestBody,
): ApiRequest {
  return {
    method: request.method ?? 'GET',
    target,
    path: pathOf(target),
    // A function and no getter: a literal with one would make V8 lay out every request anew.
    peerAddress: () => request.socket.remoteAddress ?? '',
    readBody: (limitBytes) => body.read(limitBytes),
    header(name) {
      const value = request.headers[name]
      if (value !== undefined && TOLD_WHOLE.has(name)) {
        return request.headersDistinct[name]?.join(', ')
      }
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}
