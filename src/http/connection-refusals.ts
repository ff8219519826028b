import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { endConnection } from './connection-closing.ts'
import type { OpenConnections } from './open-connections.ts'

/** What refusing needs. */
export interface RefusalParts {
  readonly connections: OpenConnections
  /** Names and values in turn, for every answer. */
  readonly robotsTag: readonly string[]
  /** Told of each refusal of what was no request, and so has no response that could tell of itself. */
  readonly onRefusal: (status: number) => void
}

/** Answers a request with an empty body, as the last one of its connection. */
export type Refuse = (request: IncomingMessage, response: ServerResponse, status: number) => void

/** What the parser says of a connection, and the status that tells its client; 400 for all else. */
const PARSER_ERRORS: { readonly [code: string]: number } = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

function textOf(status: number, headers: readonly string[]): string {
  const fields: string[] = []
  for (let index = 0; index < headers.length; index += 2) {
    fields.push(`${headers[index]}: ${headers[index + 1]}\r\n`)
  }
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n`
  return `${line}${fields.join('')}\r\n`
}

/** Refuses on a server what the parser makes no request of; what it returns refuses requests. */
export function refuseNonRequests(
  server: Server,
  { connections, robotsTag, onRefusal }: RefusalParts,
): Refuse {
  /** Answers to what is no request of ours: no method and target to sign, so an empty body (contract decisions 3.16). */
  const headers = [
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
    'Content-Length',
    '0',
    ...robotsTag,
  ]

  function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
    connections.endBehind(request.socket)
    response.writeHead(status, headers)
    response.end()
  }

  /** For what has no response to write to. */
  function refuseBare(socket: Socket, status: number): void {
    if (!socket.writable) return
    endConnection(socket, textOf(status, headers))
    onRefusal(status)
  }

  /** Connections that take nothing more; the parser reports every further byte of one as another error. */
  const refused = new WeakSet<Socket>()

  /**
   * Refuses what came last on a connection, and ends it. Answers that are still owed come first: a client counts them,
   * and would take a refusal that overtook one for the answer to an earlier request.
   */
  function refuseLast(socket: Socket, status: number): void {
    if (refused.has(socket) || !socket.writable) return
    refused.add(socket)
    const last = connections.lastOf(socket)
    if (last === undefined) {
      refuseBare(socket, status)
      return
    }
    const { request, response } = last
    // What broke is the body of a request that came whole up to there: the one answer it gets is this, or was given.
    const isItsBody = !request.complete
    if (isItsBody && !response.headersSent) {
      refuse(request, response, status)
      return
    }
    const end = () => (isItsBody ? endConnection(socket, '') : refuseBare(socket, status))
    if (response.writableFinished) end()
    else response.once('finish', end)
  }

  server.on('connect', ({ socket }: IncomingMessage) => {
    socket.on('error', () => socket.destroy())
    refuseLast(socket, 400)
  })
  server.on('clientError', ({ code = '' }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === 'ECONNRESET') socket.destroy()
    else refuseLast(socket, PARSER_ERRORS[code] ?? 400)
  })
  return refuse
}
