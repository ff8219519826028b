import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Connections } from './connections.ts'
import { endConnection, sendLast } from './lingering-close.ts'
import { nodeHttp } from './node-http.ts'

/** Statuses of parser errors; 400 for all others. */
const PARSER_ERRORS: { readonly [code: string]: number } = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

function formatResponse(status: number, headers: readonly string[]): string {
  const fields: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    fields.push(`${headers[index]}: ${headers[index + 1]}\r\n`)
  }
  const line = `HTTP/1.1 ${status} ${nodeHttp.STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n`
  return `${line}${fields.join('')}\r\n`
}

/**
 * Rejects what the parser of a server reports as malformed; the returned function rejects requests. A malformed request
 * has no method and target that could be signed, so the body is empty (contract decisions 3.16). Afterwards the
 * connection closes. `robotsTag` is in every response: names and values alternate. `onRejection` is called for a
 * rejection that is written without a response object.
 */
export function rejectMalformedRequests(
  server: Server,
  connections: Connections,
  robotsTag: readonly string[],
  onRejection: (status: number) => void,
) {
  const headers = [
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
    'Content-Length',
    '0',
    ...robotsTag,
  ]

  function reject(
    request: IncomingMessage,
    response: ServerResponse,
    status: number,
    onSent: (() => void) | undefined = () => onRejection(status),
  ): void {
    connections.refuseFurther(request.socket)
    request.resume()
    response.writeHead(status, headers)
    sendLast(response, [], onSent)
  }

  function rejectSocket(socket: Socket, status: number): void {
    if (!socket.writable) return
    endConnection(socket, formatResponse(status, headers))
    socket.resume()
    onRejection(status)
  }

  /** Rejects the last input of a connection after the owed responses, because clients match them by order. */
  function rejectLast(socket: Socket, status: number): void {
    connections.reject(
      socket,
      (request, response) => reject(request, response, status),
      () => rejectSocket(socket, status),
    )
  }

  server.on('connect', ({ socket }: IncomingMessage) => {
    socket.on('error', () => socket.destroy())
    rejectLast(socket, 400)
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === 'ECONNRESET') socket.destroy()
    else rejectLast(socket, PARSER_ERRORS[code] ?? 400)
  })
  return reject
}
