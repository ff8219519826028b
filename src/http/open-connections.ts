import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is known of one connection. */
interface Connection {
  /** The last request that came, and its answer; undefined before the first. */
  request: IncomingMessage | undefined
  response: ServerResponse | undefined
  /** How far the connection was read when that request had come; more than this is the start of another one. */
  bytesRead: number
}

/** The open connections of a server, and what each still owes. */
export interface OpenConnections {
  /** To be told of every request, when its headers are there. */
  begin(request: IncomingMessage, response: ServerResponse, hasBody: boolean): void
  /** Whether the request that is still being read was answered already: then nothing more may be said to it. */
  isAnswered(socket: Socket): boolean
}

function isIdle(socket: Socket, { request, response, bytesRead }: Connection): boolean {
  // This side has said all it will, whatever the other one still sends.
  if (socket.writableFinished) return true
  if (request === undefined || response === undefined) return socket.bytesRead === 0
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
    connections.set(socket, { request: undefined, response: undefined, bytesRead: 0 })
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
      connection.request = request
      connection.response = response
      connection.bytesRead = socket.bytesRead
      if (!hasBody) return
      request.once('end', () => {
        connection.bytesRead = socket.bytesRead
      })
    },
    isAnswered(socket) {
      const { request, response } = connections.get(socket) ?? {}
      return request?.complete === false && response?.headersSent === true
    },
  }
}
