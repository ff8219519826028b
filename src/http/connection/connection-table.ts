import type { Socket } from 'node:net'
import { networkOf } from '../../service/waitlist/actor.ts'
import { ClientConnection } from './connection.ts'
import { createHeldBytes } from './held-bytes.ts'

export interface ConnectionOptions {
  readonly maxConnections: number
  /** Whether one network may hold only a share of them. Behind a proxy, all connections come from one network. */
  readonly isSharedByNetwork: boolean
  /** How long a peer may take less than 60 KiB, or nothing, while more is owed. */
  readonly stalledAfterMs: number
  /** Most bytes of memory for what clients have not taken and for requests that are not handled, of all connections together. */
  readonly maxHeldBytes: number
  readonly monotonicMs: () => number
}

/** The part of the connections that one network may hold. */
const NETWORK_SHARE = 1 / 4

/** The open connections of a server, within the limits on their number, memory and time. */
export function createConnectionTable(options: ConnectionOptions) {
  const { maxConnections, stalledAfterMs, monotonicMs } = options
  const maxOfNetwork = Math.max(1, Math.floor(maxConnections * NETWORK_SHARE))
  /** In the order of their last requests, as are those of a network. */
  const connections = new Map<Socket, ClientConnection>()
  const networks = new Map<string | undefined, Set<ClientConnection>>()
  const memory = createHeldBytes(options.maxHeldBytes, resetSlowest)
  const counts = {
    /** Closed immediately, because no other could make room. */
    refused: 0,
    /** Idle ones closed to make room for new ones. */
    displaced: 0,
    /** Reset because the peer did not read. */
    stalled: 0,
  }

  function forget(connection: ClientConnection): void {
    const { socket, network, held } = connection
    if (!connections.delete(socket)) return
    held.clear()
    const neighbors = networks.get(network)
    neighbors?.delete(connection)
    if (neighbors?.size === 0) networks.delete(network)
  }

  function reset(connection: ClientConnection): void {
    counts.stalled += 1
    forget(connection)
    const { socket } = connection
    // While the end is being sent, Node cannot reset a connection (EINVAL of libuv) and would keep it open with all that
    // it holds.
    if (socket.writableEnded) socket.destroy()
    else socket.resetAndDestroy()
  }

  /** Frees a quarter of the memory: first of peers that have taken nothing for the longest time. */
  function resetSlowest(): void {
    const nowMs = monotonicMs()
    const holding = [...connections.values()]
      .filter(({ held }) => held.bytes() > 0)
      .map((connection) => ({
        connection,
        bytes: connection.held.bytes(),
        sinceMs: connection.observeProgress(nowMs)?.ms ?? nowMs,
      }))
      .toSorted((a, b) => a.sinceMs - b.sinceMs || b.bytes - a.bytes)
    for (const { connection } of holding) {
      if (memory.bytes() <= options.maxHeldBytes * 0.75) return
      reset(connection)
    }
  }

  /** Closes the longest-idle connection of those given, in their order. Returns false if none is idle. */
  function displace(candidates: Iterable<ClientConnection>): boolean {
    for (const connection of candidates) {
      if (!connection.isIdle()) continue
      counts.displaced += 1
      forget(connection)
      connection.socket.destroy()
      return true
    }
    return false
  }

  return {
    find: (socket: Socket): ClientConnection | undefined => connections.get(socket),
    /** Adds a new connection, or closes it if no other can make room. */
    open(socket: Socket): void {
      const { remoteAddress } = socket
      const network =
        options.isSharedByNetwork && remoteAddress !== undefined
          ? networkOf(remoteAddress)
          : undefined
      const neighbors = networks.get(network) ?? new Set()
      const hasRoom =
        (neighbors.size < maxOfNetwork || displace(neighbors)) &&
        (connections.size < maxConnections || displace(connections.values()))
      if (!hasRoom) {
        counts.refused += 1
        socket.destroy()
        return
      }
      const connection = new ClientConnection(socket, network, memory.open())
      connections.set(socket, connection)
      if (network !== undefined) networks.set(network, neighbors.add(connection))
      socket.once('close', () => forget(connection))
    },
    /** Notes that a request arrived. */
    use(connection: ClientConnection): void {
      const { socket, network } = connection
      connections.delete(socket)
      connections.set(socket, connection)
      const neighbors = networks.get(network)
      neighbors?.delete(connection)
      neighbors?.add(connection)
      connection.bytesRead = socket.bytesRead
    },
    resetStalled(): void {
      const nowMs = monotonicMs()
      for (const connection of connections.values()) {
        if (connection.isStalled(stalledAfterMs, nowMs)) reset(connection)
      }
    },
    /** Closes connections that have been idle for `quietMs`; call it repeatedly. */
    closeQuiet(quietMs: number): void {
      const nowMs = monotonicMs()
      for (const connection of connections.values()) {
        // After its end this side only waits for the peer, which may still send.
        const isQuiet = connection.socket.writableFinished || connection.isIdle()
        if (!isQuiet) connection.quietSinceMs = undefined
        else if (nowMs - (connection.quietSinceMs ??= nowMs) >= quietMs) connection.socket.destroy()
      }
    },
    /** For metrics. */
    counts: () => ({ open: connections.size, ...counts }),
    closeAll(): void {
      for (const socket of connections.keys()) socket.destroy()
    },
  }
}
