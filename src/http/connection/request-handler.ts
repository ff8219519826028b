import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '@public-api/contract/http/request-target'
import type { Log } from '../../service/logger.ts'
import type { ApiRequest, App, Reply } from '../api-request.ts'
import type { Connections } from './connections.ts'
import { hasBody, isTooLongToDiscard, readBody } from './request-body.ts'

/** Node keeps only the first line of these headers. All lines are joined, so that checks see every value. */
const JOINED_HEADERS: ReadonlySet<string> = new Set(['authorization', 'content-type', 'referer'])

/** Adapts a request of node:http. `target` is in origin form. */
function createApiRequest(request: IncomingMessage, target: string): ApiRequest {
  return {
    method: request.method ?? 'GET',
    target,
    path: pathOf(target),
    // A getter in an object literal would give every request its own hidden class.
    peerAddress: () => request.socket.remoteAddress ?? '',
    readBody: (limitBytes) => readBody(request, limitBytes),
    header(name) {
      const value = request.headers[name]
      if (value !== undefined && JOINED_HEADERS.has(name)) {
        return request.headersDistinct[name]?.join(', ')
      }
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

const CONNECTION_CLOSE = ['Connection', 'close']

/** Passes requests to the app, and writes its replies. Never throws. */
export function createRequestHandler(app: App, connections: Connections, log: Log) {
  function write(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: Reply,
  ): void {
    // Rejected in the meantime for a malformed body.
    if (response.headersSent) return
    const isBodyComing = hasBody(request)
    const mustClose = (isBodyComing && isTooLongToDiscard(request)) || connections.isLast(request)
    // Discards the rest, so that the connection can be reused. A read that stopped at its limit has paused the request.
    if (isBodyComing) request.resume()
    if (mustClose) {
      // The response must announce the close (RFC 9112 9.6).
      connections.closeAfterResponse(request.socket)
      response.writeHead(status, [...headers, ...CONNECTION_CLOSE])
    } else {
      // A 304 has only headers that caches may store; HTTP/1.1 connections persist by default.
      if (status === 304 && request.httpVersion === '1.1') response.removeHeader('Connection')
      // Node's type requires a mutable array, which it does not change.
      response.writeHead(status, headers as string[])
    }
    if (typeof body === 'string' || body === undefined) {
      response.end(body)
      connections.noteWritten(request.socket, response)
    } else if (body instanceof Uint8Array) {
      response.end(body)
      connections.noteWritten(request.socket, response, body)
    } else {
      const [start, data, end] = body
      response.write(start)
      response.write(data)
      response.end(end)
      connections.noteWritten(request.socket, response, data)
    }
  }

  function abandon(response: ServerResponse, error: unknown): void {
    log.error({ err: error }, 'Unhandled error in the app; closing the connection')
    response.destroy()
  }

  return (request: IncomingMessage, response: ServerResponse, target: string): void => {
    try {
      const reply = app(createApiRequest(request, target))
      if (reply instanceof Promise) {
        reply
          .then((settled) => write(request, response, settled))
          .catch((error: unknown) => abandon(response, error))
      } else write(request, response, reply)
    } catch (error) {
      abandon(response, error)
    }
  }
}
