import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HeldBytes } from './held-bytes.ts'
import { takenBytes } from './node-http-compat.ts'

/** A connection is stalled if its peer takes fewer bytes within the stall time although more are unsent. */
const MIN_PROGRESS_BYTES = 60 * 1024

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

interface QueuedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** An open connection, and what is known about its peer. */
export class ClientConnection {
  readonly socket: Socket
  readonly network: string | undefined
  /** What the client has not taken yet, and the requests that are not handled. */
  readonly held: HeldBytes
  /** The current or last request that is handled. */
  last: QueuedRequest | undefined
  /** A request that waits for a response that was begun without announcing the close. */
  next: (QueuedRequest & { handle: RequestHandler }) | undefined
  /** Whether no further request is handled. The last response announces the close (RFC 9112 9.6). */
  isFull = false
  /** Number of requests that were parsed after the last one that is handled. */
  surplus = 0
  /** Bytes read when the last request arrived; more than this is the start of another request. */
  bytesRead = 0
  /** When the connection became idle, as `closeQuiet` observed it. */
  quietSinceMs: number | undefined
  /** When bytes first remained unsent, and how many the peer had taken by then. */
  private unsentSince: { readonly ms: number; readonly taken: number } | undefined

  constructor(socket: Socket, network: string | undefined, held: HeldBytes) {
    this.socket = socket
    this.network = network
    this.held = held
  }

  /** Whether the kernel has taken the whole current response; Node then detaches it from the socket. */
  isAnswered(): boolean {
    return this.last === undefined || this.last.response.socket === null
  }

  /** Whether it waits for a request, of which no byte has arrived. */
  isIdle(): boolean {
    const { socket, last, bytesRead } = this
    return this.isAnswered() && socket.bytesRead === bytesRead && last?.request.complete !== false
  }

  /** When the peer last took MIN_PROGRESS_BYTES, and the bytes then and now; undefined if nothing is unsent. */
  observeProgress(nowMs: number) {
    const { socket, unsentSince } = this
    const nowTaken = takenBytes(socket)
    if (nowTaken === undefined || socket.writableLength === 0) {
      this.unsentSince = undefined
    } else if (unsentSince === undefined || nowTaken - unsentSince.taken >= MIN_PROGRESS_BYTES) {
      this.unsentSince = { ms: nowMs, taken: nowTaken }
    }
    return this.unsentSince && { ...this.unsentSince, nowTaken: nowTaken ?? 0 }
  }

  /** Within the stall time a peer must take 60 KiB, or at least one byte if less than 60 KiB is unsent. */
  isStalled(stalledAfterMs: number, nowMs: number): boolean {
    const progress = this.observeProgress(nowMs)
    if (progress === undefined || nowMs - progress.ms < stalledAfterMs) return false
    const { taken, nowTaken } = progress
    if (nowTaken === taken || this.next !== undefined) return true
    if (this.socket.bytesWritten - nowTaken > MIN_PROGRESS_BYTES) return true
    this.unsentSince = { ms: nowMs, taken: nowTaken }
    return false
  }
}
