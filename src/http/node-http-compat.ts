import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/*
 * Everything undocumented in Node that the listener relies on. Sources are named by file and function as of Node 26;
 * Node 24 has the same code. test/http/node-http-compat.test.ts fails on a Node version that changes one of them.
 */

/** Return value of `parser.onIncoming` that stops the parser after the headers, as for CONNECT. */
const STOP_PARSING = 2

/** A request as the parser passes it (lib/_http_common.js, parserOnHeadersComplete). */
type ParsedRequest = IncomingMessage & { upgrade: boolean }

interface HttpParser {
  onIncoming: (request: ParsedRequest, keepAlive: boolean) => number
  getCurrentBuffer(): Buffer
}

interface TcpHandle {
  /** Bytes given to libuv. */
  readonly bytesWritten: number
  /** Of these, the bytes that the kernel has not taken yet. */
  readonly writeQueueSize: number
}

interface Internals {
  readonly parser?: HttpParser | null
  readonly _handle?: TcpHandle | null
}

const internalsOf = (socket: Socket) => socket as unknown as Internals

/** Keeps a connection that the client has half-closed open for owed responses (lib/_http_server.js, socketOnEnd). */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

/**
 * Replaces Node's behavior after the last response of a connection (lib/_http_server.js, resOnFinish). Its
 * `destroySoon` closes immediately, and unread input then resets the connection before the client has read the response.
 */
export function replaceDestroySoon(socket: Socket, end: (socket: Socket) => void): void {
  socket.destroySoon = () => end(socket)
}

/**
 * Replaces `server.close`'s handling of open connections (lib/_http_server.js, httpServerPreClose). Node destroys
 * every connection without a request, even if its next request is in transit.
 */
export function keepConnectionsOnClose(server: Server): void {
  server.closeIdleConnections = () => {}
}

/** Undoes Node's decision that a response is the last of its connection, made when the client ends (socketOnEnd). */
export function keepOpenAfter(response: ServerResponse): void {
  Object.assign(response, { _last: false })
}

/** Decides when Node handles the requests of a connection. */
interface RequestGate {
  /** Whether the next request may be handled immediately. */
  isOpen(): boolean
  /** Queues a request. Returns false if parsing of the connection must stop. */
  defer(request: IncomingMessage, handle: () => void): boolean
}

/**
 * Puts a gate between the parser and Node's handling of requests (lib/_http_server.js, parserOnIncoming). Node
 * handles every request of a chunk before it checks back-pressure, so 64 KiB of pipelined requests would be answered
 * into memory (https://github.com/nodejs/node/issues/4332). When the gate stops the parser, Node detaches it and
 * emits `upgrade` with the request and the bytes after its headers; the request is not handled.
 */
export function gateRequests(socket: Socket, gate: RequestGate): void {
  const { parser } = internalsOf(socket)
  if (!parser) return
  const handle = parser.onIncoming
  parser.onIncoming = (request, keepAlive) => {
    // CONNECT is reported as an event of its own after this.
    if (request.method === 'CONNECT') return handle(request, keepAlive)
    // The listener for `upgrade` is for stopped parsers only; offers to upgrade are declined.
    request.upgrade = false
    if (gate.isOpen()) return handle(request, keepAlive)
    if (gate.defer(request, () => handle(request, keepAlive))) return 0
    request.upgrade = true
    return STOP_PARSING
  }
}

/**
 * Pauses a connection until it gets its next parser. `pause` alone would not last: each request that Node handles in
 * the meantime resumes its connection unless it is marked as paused (lib/_http_incoming.js, readStart).
 */
export function holdReading(socket: Socket): void {
  Object.assign(socket, { _paused: true })
  socket.pause()
}

/** Number of bytes that a kernel has taken; it grows while the peer reads. Undefined after the close. */
export function takenBytes(socket: Socket): number | undefined {
  const { _handle: handle } = internalsOf(socket)
  return handle ? handle.bytesWritten - handle.writeQueueSize : undefined
}

/** Protocols whose request lines the parser accepts beside HTTP (llhttp, src/llhttp/http.ts). */
const OTHER_PROTOCOLS = ['RTSP', 'ICE']

/**
 * Whether the request line names another protocol with version 1.0. The parser does not report it, so its input is
 * searched. A request line that arrived in an earlier packet than the end of the headers is not found.
 */
export function hasOtherProtocol({ socket, method, url, httpVersion }: IncomingMessage): boolean {
  if (httpVersion !== '1.0') return false
  const bytes = internalsOf(socket).parser?.getCurrentBuffer()
  const line = `${method} ${url}`
  if (bytes === undefined || bytes.includes(`${line} HTTP/`, 0, 'latin1')) return false
  return OTHER_PROTOCOLS.some((name) => bytes.includes(`${line} ${name}/`, 0, 'latin1'))
}
