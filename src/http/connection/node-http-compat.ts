import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { nodeHttp } from './node-http.ts'

/*
 * What the listener changes in node:http, and what it reads that Node does not document. Sources are named by file and
 * function as of Node 26; Node 24 has the same code. test/http/connection/node-http-compat.test.ts fails on a Node version that
 * changes one of them.
 */

interface TcpHandle {
  /** Bytes given to libuv. */
  readonly bytesWritten: number
  /** Of these, the bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number
}

/**
 * Keeps a connection that the client has half-closed open for owed responses. By default Node ends it at once, which
 * loses responses that are still being made (lib/_http_server.js, socketOnEnd).
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Replaces what Node calls after the last response of a connection (lib/_http_server.js, resOnFinish). The original
 * `destroySoon` closes immediately, and unread input then resets the connection before the client has read the response.
 */
export function replaceDestroySoon(socket: Socket, end: () => void): void {
  socket.destroySoon = end
}

/**
 * Leaves open connections to the listener when the server closes. `server.close` would destroy every connection without
 * a request, even if its next request is in transit (lib/_http_server.js, httpServerPreClose).
 */
export function keepConnectionsOnClose(server: Server): void {
  server.closeIdleConnections = () => {}
}

/**
 * Discards all further input of a connection. It replaces the parser's listener, because a parser that is fed during a
 * lingering close creates objects for every request that it finds. A listener for `data` makes Node hand input to it
 * instead of the parser (lib/_http_server.js, generateSocketListenerWrapper). It takes effect after the poll phase,
 * because the parser may be in the middle of a packet.
 */
export function discardInput(socket: Socket): void {
  setImmediate(() => {
    socket.removeAllListeners('data')
    socket.on('data', () => {})
    socket.resume()
  })
}

interface Surplus {
  request?: IncomingMessage
  response?: ServerResponse
}

const SURPLUS = Symbol('surplus')

type MarkedSocket = Socket & { [SURPLUS]?: Surplus }

/**
 * Ends what a connection can cost: from now on Node gets the same two objects for every request that it finds. The parser
 * reads a packet to its end, and Node frees nothing of a request before its turn (lib/_http_server.js,
 * parserOnIncoming): a packet of 64 KiB can have 2400 requests, which take 4 MB. These requests get no response.
 */
export function shareFurtherRequests(socket: Socket): void {
  const marked: MarkedSocket = socket
  marked[SURPLUS] ??= {}
}

class SharableRequest extends nodeHttp.IncomingMessage {
  constructor(socket: MarkedSocket) {
    const surplus = socket[SURPLUS]
    // oxlint-disable-next-line no-constructor-return -- Node takes what the constructor returns
    if (surplus?.request !== undefined) return surplus.request
    super(socket)
    if (surplus === undefined) return
    surplus.request = this
    // It gets the bodies of all these requests, and the end of each.
    this.push = () => true
  }
}

class SharableResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends nodeHttp.ServerResponse<Request> {
  constructor(request: Request, ...options: readonly object[]) {
    const surplus = (request.socket as MarkedSocket)[SURPLUS]
    // oxlint-disable-next-line no-constructor-return -- Node takes what the constructor returns
    if (surplus?.response !== undefined) return surplus.response as ServerResponse<Request>
    super(request, ...(options as []))
    if (surplus === undefined) return
    surplus.response = this
    // Node adds a listener for each request; the response never finishes.
    this.on = () => this
  }
}

/** The classes of a server whose connections `shareFurtherRequests` is called for (options of http.createServer). */
export const SHARABLE = { IncomingMessage: SharableRequest, ServerResponse: SharableResponse }

/**
 * Number of bytes that the kernel has taken; it grows while the peer reads. `socket.bytesWritten` counts the bytes of a
 * write at its start. Undefined after the close.
 */
export function takenBytes(socket: Socket): number | undefined {
  const { _handle: handle } = socket as unknown as { readonly _handle?: TcpHandle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined
}
