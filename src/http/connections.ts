import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import {
  gateRequests,
  holdReading,
  keepConnectionsOnClose,
  keepOpenAfter,
  takenBytes,
} from './node-http-compat.ts'

/** Connections of a server, for metrics. */
export interface ConnectionCounts {
  readonly open: number
  /** Number closed immediately because the maximum was reached. */
  readonly refused: number
  /** Number reset because the peer did not read. */
  readonly stalled: number
}

interface ConnectionOptions {
  /** Further connections are closed immediately. */
  readonly maxConnections: number
  readonly stalledAfterMs: number
  readonly monotonicMs: () => number
}

/** Number of stall checks within the stall time. */
const STALL_CHECKS = 12

/**
 * Maximum number of requests that are parsed ahead on a connection; further input stays unparsed. Parsing all input of
 * 120 connections with 64 KiB of requests each would take 267 MiB instead of 147.
 */
const MAX_WAITING = 8
/** A connection is stalled if its peer takes fewer bytes within the stall time although more are unsent. */
const MIN_PROGRESS_BYTES = 60 * 1024

class Connection {
  readonly socket: Socket
  /** The current or last request. */
  last: { readonly request: IncomingMessage; readonly response: ServerResponse } | undefined
  /** Bytes read when the last request arrived; more than this is the start of another request. */
  bytesRead = 0
  isClosing = false
  /** Whether the parser is stopped and the input waits as bytes. */
  isParserStopped = false
  readonly waiting: { readonly request: IncomingMessage; readonly handle: () => void }[] = []
  /** Called after the last response. */
  end: (() => void) | undefined
  /** Whether `advance` is called when the current response is finished. */
  isAdvancing = false
  /** When the connection became idle, as `closeQuiet` observed it. */
  quietSinceMs: number | undefined
  /** When bytes first remained unsent, and how many the peer had taken by then. */
  unsentSince: { readonly ms: number; readonly taken: number } | undefined

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** Runs after Node's own listener, which makes the current response the last one. */
  readonly onEnd = (): void => {
    if (this.last !== undefined && owesMore(this)) keepOpenAfter(this.last.response)
  }
}

/** Node detaches a response from its socket when the kernel has taken all of it. */
function isAnswered({ last }: Connection): boolean {
  return last === undefined || last.response.socket === null
}

function owesMore({ waiting, isParserStopped, end }: Connection): boolean {
  return waiting.length > 0 || isParserStopped || end !== undefined
}

function isQuiet(connection: Connection): boolean {
  const { socket, last, bytesRead } = connection
  // This side has ended; the peer may still send.
  if (socket.writableFinished) return true
  if (owesMore(connection) || !isAnswered(connection)) return false
  return socket.bytesRead === bytesRead && last?.request.complete !== false
}

function ignoreError(): void {}

/** The request line and the fields as received, except for white space around values. */
function formatHead({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`
  for (let index = 0; index < rawHeaders.length; index += 2) {
    head += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`
  }
  return `${head}\r\n`
}

/** Ends the current parser and returns its unhandled input to the socket. */
function putBack(connection: Connection, request: IncomingMessage, rest: Buffer): void {
  const { socket } = connection
  connection.isParserStopped = true
  socket.off('end', connection.onEnd)
  socket.on('error', ignoreError)
  holdReading(socket)
  // Two chunks, because a single one would be copied at every stop.
  socket.unshift(rest)
  socket.unshift(Buffer.from(formatHead(request), 'latin1'))
}

/** Gives the connection a new parser for the bytes that were put back. */
function parseAgain(connection: Connection, server: Server): void {
  const { socket } = connection
  connection.isParserStopped = false
  // Clears the idle timeout of the previous parser, which the new parser does not reset.
  socket.setTimeout(0)
  server.emit('connection', socket)
  socket.off('error', ignoreError)
  socket.resume()
}

/** Continues after a finished response: the next request, then the bytes that were put back, then the end. */
function advance(connection: Connection, server: Server): void {
  const { socket, waiting } = connection
  connection.isAdvancing = false
  if (connection.isClosing || !socket.writable) {
    waiting.length = 0
    return
  }
  const next = waiting.shift()
  if (next !== undefined) {
    next.handle()
    if (owesMore(connection)) advanceLater(connection, server)
  } else if (connection.isParserStopped) {
    parseAgain(connection, server)
  } else {
    const { end } = connection
    connection.end = undefined
    end?.()
  }
}

function advanceLater(connection: Connection, server: Server): void {
  if (connection.isAdvancing) return
  connection.isAdvancing = true
  connection.last?.response.once('finish', () => advance(connection, server))
}

/** Within the stall time a peer must take 60 KiB, or at least one byte if less than 60 KiB is unsent. */
function isStalled(
  connection: Connection,
  { stalledAfterMs, monotonicMs }: ConnectionOptions,
): boolean {
  const { socket, unsentSince } = connection
  const taken = takenBytes(socket)
  if (taken === undefined || socket.writableLength === 0) {
    connection.unsentSince = undefined
    return false
  }
  const ms = monotonicMs()
  if (unsentSince === undefined || taken - unsentSince.taken >= MIN_PROGRESS_BYTES) {
    connection.unsentSince = { ms, taken }
    return false
  }
  if (ms - unsentSince.ms < stalledAfterMs) return false
  if (taken === unsentSince.taken || owesMore(connection)) return true
  if (socket.bytesWritten - taken > MIN_PROGRESS_BYTES) return true
  connection.unsentSince = { ms, taken }
  return false
}

/** The open connections of a server. Requests of one connection are handled one after the other. */
export function trackConnections(server: Server, options: ConnectionOptions) {
  const connections = new Map<Socket, Connection>()
  let refused = 0
  let stalled = 0
  let isStopping = false
  keepConnectionsOnClose(server)

  function open(socket: Socket): Connection {
    const connection = new Connection(socket)
    connections.set(socket, connection)
    socket.once('close', () => connections.delete(socket))
    return connection
  }

  server.on('connection', (socket: Socket) => {
    const connection = connections.get(socket) ?? open(socket)
    socket.on('end', connection.onEnd)
    gateRequests(socket, {
      isOpen: () => isAnswered(connection) && !owesMore(connection),
      defer(request, handle) {
        if (connection.waiting.length >= MAX_WAITING) return false
        connection.waiting.push({ request, handle })
        advanceLater(connection, server)
        return true
      },
    })
  })

  /** Calls `end` after the responses to all requests that were read, unless the connection closes first. */
  function whenAnswered(socket: Socket, end: () => void): void {
    const connection = connections.get(socket)
    if (connection === undefined || (isAnswered(connection) && !owesMore(connection))) {
      end()
      return
    }
    // Drops a request whose body was cut off before its turn.
    if (connection.waiting.at(-1)?.request.complete === false) connection.waiting.pop()
    connection.end ??= end
    advanceLater(connection, server)
  }

  function resetStalled(): void {
    for (const [socket, connection] of connections) {
      if (!isStalled(connection, options)) continue
      stalled += 1
      socket.resetAndDestroy()
    }
  }

  server.maxConnections = options.maxConnections
  // Otherwise workers pass the connection back and forth while all of them are full.
  Object.assign(server, { dropMaxConnection: true })
  server.on('drop', () => {
    refused += 1
  })
  server.once('listening', () => {
    const check = setInterval(resetStalled, options.stalledAfterMs / STALL_CHECKS).unref()
    server.once('close', () => clearInterval(check))
  })
  server.on('upgrade', (request: IncomingMessage, stream, rest: Buffer) => {
    const connection = connections.get(stream as Socket)
    if (connection !== undefined) putBack(connection, request, rest)
  })

  return {
    /** Call it for every request once its headers are complete. */
    begin(request: IncomingMessage, response: ServerResponse, hasBody: boolean): void {
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
    /** The current or last request and its response; undefined before the first. */
    lastExchangeOf: (socket: Socket) => connections.get(socket)?.last,
    /** From now on, each connection closes after its last owed response. */
    stop(): void {
      isStopping = true
    },
    /** Whether the server stops or the client has ended, and no other response is owed after this one. */
    isLast({ socket }: IncomingMessage): boolean {
      if (!isStopping && !socket.readableEnded) return false
      const connection = connections.get(socket)
      return connection !== undefined && !owesMore(connection)
    },
    /** Ignores all input after the current request (RFC 9112 9.6). */
    closeAfterResponse(socket: Socket): void {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.isClosing = true
    },
    isClosing: (socket: Socket) => connections.get(socket)?.isClosing === true,
    whenAnswered,
    /** Closes connections that have been idle for `quietMs`; call it repeatedly. */
    closeQuiet(quietMs: number): void {
      const nowMs = options.monotonicMs()
      for (const [socket, connection] of connections) {
        if (!isQuiet(connection)) connection.quietSinceMs = undefined
        else if (nowMs - (connection.quietSinceMs ??= nowMs) >= quietMs) socket.destroy()
      }
    },
    counts: (): ConnectionCounts => ({ open: connections.size, refused, stalled }),
    closeAll(): void {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

export type Connections = ReturnType<typeof trackConnections>
