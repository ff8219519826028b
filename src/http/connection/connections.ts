import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../../service/waitlist/actor.ts'
import { createHeldBytes, type HeldBytes } from './held-bytes.ts'
import {
  discardInput,
  keepConnectionsOnClose,
  shareFurtherRequests,
  takenBytes,
} from './node-http-compat.ts'

/** Connections of a server, for metrics. */
export interface ConnectionCounts {
  readonly open: number
  /** Number closed immediately, because no other could make room. */
  readonly refused: number
  /** Number of idle connections closed to make room for new ones. */
  readonly displaced: number
  /** Number reset because the peer did not read. */
  readonly stalled: number
}

export interface ConnectionOptions {
  readonly maxConnections: number
  /** Whether one network may hold only a share of them. Behind a proxy, all connections come from one network. */
  readonly isSharedByNetwork: boolean
  readonly stalledAfterMs: number
  /** Most bytes of memory for what clients have not taken and for requests that wait, of all connections together. */
  readonly maxHeldBytes: number
  readonly monotonicMs: () => number
}

/** Number of stall checks within the stall time. */
const STALL_CHECKS = 12
/** A connection is stalled if its peer takes fewer bytes within the stall time although more are unsent. */
const MIN_PROGRESS_BYTES = 60 * 1024
/** Number of requests that may wait on a connection. After more, it ends with the response to the last of these. */
const MAX_WAITING = 32
/** The part of the connections that one network may hold. */
const NETWORK_SHARE = 1 / 4
/** The part of the idle connections that is chosen in one search for the longest idle. */
const DISPLACED_AT_ONCE = 1 / 100

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

class Connection {
  readonly socket: Socket
  readonly network: string | undefined
  /** What clients have not taken yet, and the requests that wait. */
  readonly held: HeldBytes
  /** The current or last request. */
  last: Exchange | undefined
  /** Requests that wait for the current response. */
  readonly waiting: (Exchange & { handle: RequestHandler })[] = []
  /** Whether further input is discarded. The last response announces the close (RFC 9112 9.6). */
  isFull = false
  /** Called after the last response, which is then not the end of the connection. */
  end: (() => void) | undefined
  /** Orders connections by the start of their last request. */
  lastUse: number
  /** Bytes read when the last request arrived; more than this is the start of another request. */
  bytesRead = 0
  /** When the connection became idle, as `closeQuiet` observed it. */
  quietSinceMs: number | undefined
  /** When bytes first remained unsent, and how many the peer had taken by then. */
  unsentSince: { readonly ms: number; readonly taken: number } | undefined

  constructor(socket: Socket, network: string | undefined, held: HeldBytes, lastUse: number) {
    this.socket = socket
    this.network = network
    this.held = held
    this.lastUse = lastUse
  }
}

/** Whether the kernel has taken the whole current response; Node then detaches it from the socket. */
function isAnswered({ last }: Connection): boolean {
  return last === undefined || last.response.socket === null
}

function owesMore({ waiting, end }: Connection): boolean {
  return waiting.length > 0 || end !== undefined
}

/** Whether it waits for a request, of which no byte has arrived. */
function isIdle(connection: Connection): boolean {
  const { socket, last, bytesRead } = connection
  if (owesMore(connection) || !isAnswered(connection)) return false
  return socket.bytesRead === bytesRead && last?.request.complete !== false
}

function longestIdle(connections: Iterable<Connection>): Connection[] {
  return [...connections].filter(isIdle).toSorted((a, b) => a.lastUse - b.lastUse)
}

/** Notes when the peer last took MIN_PROGRESS_BYTES; undefined if nothing is unsent. */
function observeProgress(connection: Connection, ms: number) {
  const { socket, unsentSince } = connection
  const taken = takenBytes(socket)
  if (taken === undefined || socket.writableLength === 0) {
    connection.unsentSince = undefined
  } else if (unsentSince === undefined || taken - unsentSince.taken >= MIN_PROGRESS_BYTES) {
    connection.unsentSince = { ms, taken }
  }
  return connection.unsentSince && { ...connection.unsentSince, nowTaken: taken ?? 0 }
}

/** Within the stall time a peer must take 60 KiB, or at least one byte if less than 60 KiB is unsent. */
function isStalled(connection: Connection, stalledAfterMs: number, nowMs: number): boolean {
  const progress = observeProgress(connection, nowMs)
  if (progress === undefined || nowMs - progress.ms < stalledAfterMs) return false
  const { taken, nowTaken } = progress
  if (nowTaken === taken || owesMore(connection)) return true
  if (connection.socket.bytesWritten - nowTaken > MIN_PROGRESS_BYTES) return true
  connection.unsentSince = { ms: nowMs, taken: nowTaken }
  return false
}

/**
 * The open connections of a server. Requests of one connection are handled one after the other, each when the kernel
 * has taken the previous response, so that a peer that does not read causes at most one response.
 */
export function trackConnections(server: Server, options: ConnectionOptions) {
  const { maxConnections, stalledAfterMs, monotonicMs } = options
  const maxOfNetwork = Math.max(1, Math.floor(maxConnections * NETWORK_SHARE))
  const connections = new Map<Socket, Connection>()
  const networks = new Map<string, Set<Connection>>()
  const memory = createHeldBytes(options.maxHeldBytes, resetSlowest)
  let uses = 0
  let displaceable: Connection[] = []
  const counts = { refused: 0, displaced: 0, stalled: 0 }
  let isStopping = false
  keepConnectionsOnClose(server)

  function reset(connection: Connection): void {
    counts.stalled += 1
    forget(connection)
    connection.socket.resetAndDestroy()
  }

  /** Frees a quarter of the memory: first of peers that have taken nothing for the longest time. */
  function resetSlowest(): void {
    const nowMs = monotonicMs()
    const holding = [...connections.values()]
      .filter(({ held }) => held.bytes() > 0)
      .map((connection) => ({
        connection,
        bytes: connection.held.bytes(),
        sinceMs: observeProgress(connection, nowMs)?.ms ?? nowMs,
      }))
      .toSorted((a, b) => a.sinceMs - b.sinceMs || b.bytes - a.bytes)
    for (const { connection } of holding) {
      if (memory.bytes() <= options.maxHeldBytes * 0.75) return
      reset(connection)
    }
  }

  /** Closes the longest-idle connection of those given. Returns false if none is idle. */
  function displace(found: Connection | undefined): boolean {
    if (found === undefined) return false
    counts.displaced += 1
    forget(found)
    found.socket.destroy()
    return true
  }

  function makeRoom(): boolean {
    for (;;) {
      const next = displaceable.shift()
      // It may have been used or closed since it was chosen.
      if (next !== undefined && connections.has(next.socket) && isIdle(next)) return displace(next)
      if (next !== undefined) continue
      const idle = longestIdle(connections.values())
      if (idle.length === 0) return false
      displaceable = idle.slice(0, Math.ceil(idle.length * DISPLACED_AT_ONCE))
    }
  }

  function forget(connection: Connection): void {
    const { socket, network = '', held } = connection
    if (!connections.delete(socket)) return
    held.clear()
    const neighbors = networks.get(network)
    neighbors?.delete(connection)
    if (neighbors?.size === 0) networks.delete(network)
  }

  function open(socket: Socket): void {
    const { remoteAddress } = socket
    const network =
      options.isSharedByNetwork && remoteAddress !== undefined
        ? networkOf(remoteAddress)
        : undefined
    const neighbors = networks.get(network ?? '') ?? new Set()
    const hasRoom =
      (neighbors.size < maxOfNetwork || displace(longestIdle(neighbors)[0])) &&
      (connections.size < maxConnections || makeRoom())
    if (!hasRoom) {
      counts.refused += 1
      socket.destroy()
      return
    }
    const connection = new Connection(socket, network, memory.open(), (uses += 1))
    connections.set(socket, connection)
    if (network !== undefined) networks.set(network, neighbors.add(connection))
    socket.once('close', () => forget(connection))
  }

  /** Handles the next request after a finished response, or ends the connection. */
  function advance(connection: Connection): void {
    const { socket, waiting } = connection
    if (!socket.writable) {
      waiting.length = 0
      return
    }
    const next = waiting.shift()
    if (next === undefined) {
      const { end } = connection
      connection.end = undefined
      end?.()
      return
    }
    connection.held.removeRequest(next.request)
    connection.last = next
    next.handle(next.request, next.response)
    if (owesMore(connection)) next.response.once('finish', () => advance(connection))
  }

  /** Handles no further requests of a connection. */
  function fill(connection: Connection): void {
    if (connection.isFull) return
    connection.isFull = true
    shareFurtherRequests(connection.socket)
    discardInput(connection.socket)
  }

  /** Calls `end` after the responses to all requests that were read, unless the connection closes first. */
  function whenAnswered(connection: Connection, end: () => void): void {
    if (isAnswered(connection) && !owesMore(connection)) {
      end()
      return
    }
    if (!owesMore(connection)) {
      connection.last?.response.once('finish', () => advance(connection))
    }
    connection.end ??= end
  }

  function resetStalled(): void {
    const nowMs = monotonicMs()
    for (const connection of connections.values()) {
      if (isStalled(connection, stalledAfterMs, nowMs)) reset(connection)
    }
  }

  server.once('listening', () => {
    const check = setInterval(resetStalled, stalledAfterMs / STALL_CHECKS).unref()
    server.once('close', () => clearInterval(check))
  })
  server.on('connection', open)

  return {
    /** Calls `handle` when it is the turn of a request, unless the connection ends before. */
    take(request: IncomingMessage, response: ServerResponse, handle: RequestHandler): void {
      const { socket } = request
      const connection = connections.get(socket)
      if (connection === undefined) return
      const { waiting, held } = connection
      if (connection.isFull) return
      connection.lastUse = uses += 1
      connection.bytesRead = socket.bytesRead
      if (isAnswered(connection) && waiting.length === 0) {
        connection.last = { request, response }
        handle(request, response)
      } else if (waiting.length < MAX_WAITING) {
        if (!owesMore(connection)) {
          connection.last?.response.once('finish', () => advance(connection))
        }
        waiting.push({ request, response, handle })
        held.addRequest(request)
      } else fill(connection)
    },
    /** Call it when a request with a body is complete. */
    noteRead({ socket }: IncomingMessage): void {
      const connection = connections.get(socket)
      if (connection !== undefined) connection.bytesRead = socket.bytesRead
    },
    /** Call it after each response was written; `shared` is the part of its body that other responses share. */
    noteWritten(socket: Socket, response: ServerResponse, shared?: Uint8Array): void {
      if (socket.writableLength === 0) return
      const held = connections.get(socket)?.held
      if (held === undefined) return
      held.setResponse(socket.writableLength, shared)
      response.once('finish', () => held.setResponse(0, undefined))
    },
    /** From now on, each connection closes after its last owed response. */
    stop(): void {
      isStopping = true
    },
    /** Whether the connection closes after the current response, and no other is owed. */
    isLast({ socket }: IncomingMessage): boolean {
      const connection = connections.get(socket)
      if (connection === undefined || owesMore(connection)) return false
      return isStopping || connection.isFull || socket.readableEnded
    },
    /** Makes the current response the last one (RFC 9112 9.6). */
    closeAfterResponse(socket: Socket): void {
      const connection = connections.get(socket)
      if (connection === undefined) return
      connection.waiting.length = 0
      connection.end = undefined
      connection.isFull = true
      shareFurtherRequests(socket)
    },
    /**
     * Ends the input of a connection that sent a malformed request, the last one. `rejectRequest` is called for its turn
     * if it got as far as its body, else `rejectRest`; `close` if it was already answered.
     */
    reject(
      socket: Socket,
      rejectRequest: RequestHandler,
      rejectRest: () => void,
      close: () => void,
    ): void {
      const connection = connections.get(socket)
      if (connection === undefined) {
        rejectRest()
        return
      }
      if (connection.isFull) return
      connection.isFull = true
      const { waiting, last } = connection
      const newest = waiting.at(-1)
      if (newest !== undefined && !newest.request.complete) {
        newest.handle = rejectRequest
      } else if (newest !== undefined || last?.request.complete !== false) {
        whenAnswered(connection, rejectRest)
      } else if (last.response.headersSent) {
        whenAnswered(connection, close)
      } else rejectRequest(last.request, last.response)
    },
    /** Closes connections that have been idle for `quietMs`; call it repeatedly. */
    closeQuiet(quietMs: number): void {
      const nowMs = monotonicMs()
      for (const connection of connections.values()) {
        // After its end this side only waits for the peer, which may still send.
        const isQuiet = connection.socket.writableFinished || isIdle(connection)
        if (!isQuiet) connection.quietSinceMs = undefined
        else if (nowMs - (connection.quietSinceMs ??= nowMs) >= quietMs) connection.socket.destroy()
      }
    },
    counts: (): ConnectionCounts => ({ open: connections.size, ...counts }),
    closeAll(): void {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}

export type Connections = ReturnType<typeof trackConnections>
