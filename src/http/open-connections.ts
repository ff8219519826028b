import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A request and its answer. */
export interface LastExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** What is known of one connection. */
interface Connection {
  /** The last request that came, with its answer; undefined before the first. */
  last: LastExchange | undefined
  /** How far the connection was read when that request had come; more than this is the start of another one. */
  bytesRead: number
  /** Whether that request is its last: what still comes is not done. */
  isEnding: boolean
}

/** The open connections of a server, and what each still owes. */
export interface OpenConnections {
  /** To be told of every request, when its headers are there. */
  begin(request: IncomingMessage, response: ServerResponse, hasBody: boolean): void
  /**
   * The last request that came, with its answer: answers go out in order, so once this one is written none is owed.
   * Undefined when none came.
   */
  lastOf(socket: Socket): LastExchange | undefined
  /** Nothing that comes behind the last request is to be done any more (RFC 9112 9.6). */
  endBehind(socket: Socket): void
  /** Whether `endBehind` was called. */
  isEnding(socket: Socket): boolean
}

function isIdle(socket: Socket, { last, bytesRead }: Connection): boolean {
  // This side has said all it will, whatever the other one still sends.
  if (socket.writableFinished) return true
  if (last === undefined) return socket.bytesRead === 0
  const { request, response } = last
  return request.complete && response.writableFinished && socket.bytesRead === bytesRead
}

/**
 * Keeps account of a server's connections, and makes `closeIdleConnections` (which `close` calls too) and
 * `closeAllConnections` go by it. Node's own would cut an answer off that is written but not yet sent, as it is to a
 * slow reader, and would miss connections that left the parser, as a CONNECT does.
 */
export function trackConnections(server: Server): OpenConnections {
  const connections = new Map<Socket, Connection>()
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { last: undefined, bytesRead: 0, isEnding: false })
    socket.once('close', () => connections.delete(socket))
  })
  server.closeIdleConnections = () => {
    for (const [socket, connection] of connections) {
      if (isIdle(socket, connection)) socket.destroy()
    }
  }
  server.closeAllConnections = () => {
    for (const socket of connections.keys()) socket.destroy()
  }
  return {
    begin(request, response, hasBody) {
      const { socket } = request
      const connection = connections.get(socket)
      if (connection === undefined) return
      connection.last = { request, response }
      connection.bytesRead = socket.bytesRead
      if (!hasBody) return
      request.once('end', () => {
        connection.bytesRead = socket.bytesRead
      })
    },
    lastOf: (socket) => connections.get(socket)?.last,
    endBehind(socket) {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.isEnding = true
    },
    isEnding: (socket) => connections.get(socket)?.isEnding === true,
  }
}
