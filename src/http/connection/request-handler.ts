import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathOf } from '@public-api/contract/http/request-target'
import type { Log } from '../../service/logger.ts'
import type { ApiRequest, App, Reply } from '../api-request.ts'
import type { Connections } from './connections.ts'
import { sendLast } from './lingering-close.ts'
import { hasBody, isTooLongToDiscard, receiveBody } from './request-body.ts'
import { asksForClose } from './request-framing.ts'

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
    readBody: (limitBytes) => receiveBody(request, limitBytes),
    header(name) {
      const value = request.headers[name]
      if (value !== undefined && JOINED_HEADERS.has(name)) {
        return request.headersDistinct[name]?.join(', ')
      }
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** Called when the kernel has taken the whole response. */
type OnSent = (() => void) | undefined

const CONNECTION_CLOSE = ['Connection', 'close']

/** Passes requests to the app, and writes its replies. Never throws. */
export function createRequestHandler(app: App, connections: Connections, log: Log) {
  function write(
    request: IncomingMessage,
    response: ServerResponse,
    { status, headers, body }: Reply,
    onSent: OnSent,
  ): void {
    // Rejected in the meantime for a malformed body.
    if (response.headersSent) return
    const isBodyComing = hasBody(request)
    const mustClose =
      (isBodyComing && isTooLongToDiscard(request)) ||
      connections.isLast(request) ||
      // A 304 has only headers that caches may store. Node closes after it without an announcement.
      (status !== 304 && asksForClose(request))
    // Discards the rest, so that the connection can be reused. A read that stopped at its limit has paused the request.
    if (isBodyComing) request.resume()
    const parts: readonly (string | Uint8Array)[] =
      typeof body === 'string' || body instanceof Uint8Array ? [body] : (body ?? [])
    const shared = parts.find((part): part is Uint8Array => part instanceof Uint8Array)
    if (mustClose) {
      // The response must announce the close (RFC 9112 9.6).
      connections.refuseFurther(request.socket)
      response.writeHead(status, [...headers, ...CONNECTION_CLOSE])
      sendLast(response, parts, onSent)
    } else {
      // HTTP/1.1 connections persist by default.
      if (status === 304 && request.httpVersion === '1.1') response.removeHeader('Connection')
      // Node's type requires a mutable array, which it does not change.
      response.writeHead(status, headers as string[])
      if (onSent !== undefined) response.once('finish', onSent)
      for (const part of parts.slice(0, -1)) response.write(part)
      response.end(parts.at(-1))
    }
    connections.recordWritten(request.socket, response, shared)
  }

  function abandon(response: ServerResponse, error: unknown): void {
    log.error({ err: error }, 'Unhandled error in the app; closing the connection')
    response.destroy()
  }

  return (
    request: IncomingMessage,
    response: ServerResponse,
    target: string,
    onSent: OnSent,
  ): void => {
    try {
      const reply = app(createApiRequest(request, target))
      if (reply instanceof Promise) {
        reply
          .then((settled) => write(request, response, settled, onSent))
          .catch((error: unknown) => abandon(response, error))
      } else write(request, response, reply, onSent)
    } catch (error) {
      abandon(response, error)
    }
  }
}
