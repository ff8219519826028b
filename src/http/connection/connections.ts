import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createConnectionTable, type ConnectionOptions } from './connection-table.ts'
import type { ClientConnection, RequestHandler } from './connection.ts'
import { endConnection } from './lingering-close.ts'

/** Number of stall checks within the stall time. */
const STALL_CHECKS = 12

/**
 * The open connections of a server. A connection has one request at a time: the response to a request that is followed by
 * another one too early announces the close, and the further request gets no response (RFC 9112 9.3.2). If that response
 * was already begun, the next one announces the close.
 */
export function trackConnections(server: Server, options: ConnectionOptions) {
  const table = createConnectionTable(options)
  let isStopping = false

  function handleNext(connection: ClientConnection): void {
    const { next, socket } = connection
    connection.next = undefined
    if (next === undefined || !socket.writable) return
    connection.last = next
    next.handle(next.request, next.response)
  }

  /** Counts a request that is not handled, and reads no further packet. */
  function discard(connection: ClientConnection): void {
    const { socket, held, bytesRead } = connection
    connection.surplus += 1
    held.setRequests(connection.surplus, socket.bytesRead - bytesRead)
    socket.pause()
  }

  server.once('listening', () => {
    const intervalMs = options.stalledAfterMs / STALL_CHECKS
    const check = setInterval(() => table.resetStalled(), intervalMs).unref()
    server.once('close', () => clearInterval(check))
  })
  server.on('connection', (socket: Socket) => table.open(socket))

  return {
    /** Calls `handle` when it is the turn of a request, unless the connection ends before. */
    take(request: IncomingMessage, response: ServerResponse, handle: RequestHandler): void {
      const connection = table.find(request.socket)
      if (connection === undefined) return
      if (connection.isFull) return discard(connection)
      const { last } = connection
      if (last === undefined || connection.isAnswered()) {
        table.use(connection)
        connection.last = { request, response }
        handle(request, response)
        return
      }
      connection.isFull = true
      if (!last.response.headersSent) return discard(connection)
      table.use(connection)
      connection.next = { request, response, handle }
      last.response.once('finish', () => handleNext(connection))
    },
    /** Call it when a request with a body is complete. */
    recordRead({ socket }: IncomingMessage): void {
      const connection = table.find(socket)
      if (connection !== undefined) connection.bytesRead = socket.bytesRead
    },
    /** Call it after each response was written; `shared` is the part of its body that other responses share. */
    recordWritten(socket: Socket, response: ServerResponse, shared?: Uint8Array): void {
      if (socket.writableLength === 0) return
      const held = table.find(socket)?.held
      if (held === undefined) return
      held.setResponse(socket.writableLength, shared)
      response.once('finish', () => held.setResponse(0, undefined))
    },
    /** From now on, each connection closes after its last owed response. */
    stop(): void {
      isStopping = true
    },
    /** Whether the connection closes after the response to this request. */
    isLast({ socket }: IncomingMessage): boolean {
      const connection = table.find(socket)
      if (connection === undefined) return false
      return isStopping || connection.isFull || socket.readableEnded
    },
    /** Makes the current response the last one (RFC 9112 9.6). */
    refuseFurther(socket: Socket): void {
      const connection = table.find(socket)
      if (connection === undefined) return
      connection.next = undefined
      connection.isFull = true
    },
    /**
     * Ends the input of a connection that sent a malformed request, the last one. `rejectRequest` is called for its turn
     * if it got as far as its body, else `rejectRest`.
     */
    reject(socket: Socket, rejectRequest: RequestHandler, rejectRest: () => void): void {
      const connection = table.find(socket)
      if (connection === undefined) {
        rejectRest()
        return
      }
      const { last, next } = connection
      if (next !== undefined && !next.request.complete) next.handle = rejectRequest
      if (connection.isFull) return
      connection.isFull = true
      if (last === undefined || (connection.isAnswered() && last.request.complete)) rejectRest()
      else if (!last.request.complete) {
        if (!last.response.headersSent) rejectRequest(last.request, last.response)
        else if (connection.isAnswered()) endConnection(socket)
        else last.response.once('finish', () => endConnection(socket))
      } else if (last.response.headersSent) last.response.once('finish', rejectRest)
    },
    closeQuiet: table.closeQuiet,
    counts: table.counts,
    closeAll: table.closeAll,
  }
}

export type Connections = ReturnType<typeof trackConnections>
