import type { IncomingMessage } from 'node:http'
import { HEADERS } from '../contract/headers.ts'
import { pathOf, type ApiRequest } from './api-request.ts'
import type { RequestBody } from './request-body.ts'

/** Node keeps only the first line of these headers. All lines are joined, so that checks see every value. */
const JOINED_HEADERS: ReadonlySet<string> = new Set(
  [HEADERS.authorization, HEADERS.contentType, HEADERS.referer].map((name) => name.toLowerCase()),
)

/** Adapts a request of node:http. `target` is in origin form. */
export function createApiRequest(
  request: IncomingMessage,
  target: string,
  body: RequestBody,
): ApiRequest {
  return {
    method: request.method ?? 'GET',
    target,
    path: pathOf(target),
    // A getter in an object literal would give every request its own hidden class.
    peerAddress: () => request.socket.remoteAddress ?? '',
    readBody: (limitBytes) => body.read(limitBytes),
    header(name) {
      const value = request.headers[name]
      if (value !== undefined && JOINED_HEADERS.has(name)) {
        return request.headersDistinct[name]?.join(', ')
      }
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}
