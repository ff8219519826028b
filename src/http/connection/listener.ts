import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { NO_INDEX_HEADERS } from '@public-api/contract/terms/headers'
import type { Log } from '../../service/logger.ts'
import type { App } from '../api-request.ts'
import type { ConnectionOptions } from './connection-table.ts'
import { trackConnections, type Connections } from './connections.ts'
import { rejectMalformedRequests } from './malformed-requests.ts'
import { allowHalfOpen } from './node-http-compat.ts'
import { nodeHttp } from './node-http.ts'
import { hasBody } from './request-body.ts'
import {
  expectsContinue,
  framingFault,
  hasUndelimitedBody,
  toOriginForm,
} from './request-framing.ts'
import { createRequestHandler } from './request-handler.ts'

interface ListenerOptions extends Partial<ConnectionOptions> {
  /** Whether responses ask search engines not to index, including the listener's own. */
  readonly noIndex: boolean
  readonly log: Log
  /** Called for every response once it is sent. Malformed headers leave no method and duration. */
  readonly onResponse?:
    | ((method: string | undefined, status: number, seconds: number | undefined) => void)
    | undefined
}

const DEFAULT_LIMITS: ConnectionOptions = {
  maxConnections: 10_000,
  isSharedByNetwork: false,
  stalledAfterMs: 60_000,
  maxHeldBytes: 64 * 1024 * 1024,
  monotonicMs: () => performance.now(),
}

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
/** Interval of the timeout check. With Node's default of 30 s, a timeout of 15 s could take 45 s. */
const TIMEOUT_CHECK_MS = 1000
/** Longer than the idle timeout of common load balancers (60 s), so that they are the ones that close. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** While the listener stops, a connection stays open this long for a request in transit. */
const QUIET_MS = 1000
/** Interval at which a worker that stops looks whether connections still arrive. */
const ACCEPT_CHECK_MS = 20
/** Interval of the idle check while the listener stops. */
const QUIET_CHECK_MS = 50

const SERVER_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // Checked here, since caches may store Node's own response to an invalid Host.
  requireHostHeader: false,
  noDelay: true,
  // Sets up no stream for a request without a body, which saves 1 µs of 40.
  optimizeEmptyRequests: true,
} as const

/** An HTTP server with its open connections. */
export type Listener = Server & { readonly tracked: Connections }

/** Creates an HTTP server for the app, not yet listening. `stopListening` ends it. */
export function createListener(app: App, options: ListenerOptions): Listener {
  const { noIndex, log, onResponse } = options
  const server = nodeHttp.createServer(SERVER_OPTIONS, receive)
  const connections = trackConnections(server, { ...DEFAULT_LIMITS, ...options })
  allowHalfOpen(server)
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []
  const reject = rejectMalformedRequests(server, connections, robotsTag, (status) =>
    onResponse?.(undefined, status, undefined),
  )
  const serve: App = (request) =>
    request.target === '*' ? { status: 204, headers: robotsTag, body: undefined } : app(request)
  const handle = createRequestHandler(serve, connections, log)

  function begin(request: IncomingMessage, response: ServerResponse): void {
    if (hasBody(request)) request.once('end', () => connections.recordRead(request))
    const { url = '', method, socket } = request
    const startedMs = performance.now()
    const onSent =
      onResponse &&
      (() => onResponse(method, response.statusCode, (performance.now() - startedMs) / 1000))
    // Node loses the bytes after an upgrade request, so the connection closes after the response.
    if (request.headers.upgrade !== undefined) connections.refuseFurther(socket)
    const fault = framingFault(request)
    if (fault !== undefined) return reject(request, response, fault, onSent)
    const target = url === '*' && method === 'OPTIONS' ? url : toOriginForm(url)
    if (target === undefined) return reject(request, response, 400, onSent)
    if (expectsContinue(request)) response.writeContinue()
    handle(request, response, target, onSent)
  }

  function receive(request: IncomingMessage, response: ServerResponse): void {
    // The parser also reports this request as an error, and the handler of that error responds.
    if (hasUndelimitedBody(request)) return
    connections.take(request, response, begin)
  }

  // Node emits these in place of `request` if the client expects something.
  server.on('checkContinue', receive)
  server.on('checkExpectation', receive)
  // `listen` reports what prevents listening. Later errors concern one connection, such as a lack of file descriptors.
  server.on('error', (error) => {
    if (server.listening) log.error({ err: error }, 'A connection could not be accepted')
  })
  return Object.assign(server, { tracked: connections })
}

/** No process can listen on a port. The message is for a person, who can change that. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

/** Listens and resolves with the port. Rejects with a ListenError. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    function fail(error: NodeJS.ErrnoException): void {
      const reason = error.code === 'EADDRINUSE' ? 'the port is already in use' : error.message
      reject(new ListenError(`Cannot listen on ${host} port ${port}: ${reason}`))
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/**
 * Resolves when no completed connection is left; closing would reset those. Node accepts one in a turn of the event loop.
 * A worker gets its connections from the primary and cannot see how many wait there, so it waits for `quietMs` without a
 * new one. Clients that keep connecting end it after `deadlineMs`.
 */
async function acceptWaiting(server: Server, quietMs: number, deadlineMs: number): Promise<void> {
  const startedMs = performance.now()
  let lastMs = startedMs
  let turns = 0
  const note = (): void => {
    lastMs = performance.now()
    turns = 0
  }
  server.on('connection', note)
  for (;;) {
    // The poll phase is between two turns of the check phase.
    await (quietMs === 0 ? nextTurn() : delay(ACCEPT_CHECK_MS))
    turns += 1
    const nowMs = performance.now()
    if ((turns > 2 && nowMs - lastMs >= quietMs) || nowMs - startedMs >= deadlineMs) break
  }
  server.off('connection', note)
}

/**
 * Stops accepting connections, responds to received requests, and closes each connection after a response that
 * announces it. A connection without a request is closed after an idle second, because a request may be in transit.
 * Closes the rest after `graceMs`.
 */
export async function stopListening(
  server: Listener,
  graceMs: number,
  { acceptQuietMs = 0 } = {},
): Promise<void> {
  const { tracked: connections } = server
  connections.stop()
  await acceptWaiting(server, acceptQuietMs, graceMs / 2)
  const closed = new Promise<void>((resolve) => {
    // Stops accepting. That of node:http would also close connections whose next request is in transit.
    NetServer.prototype.close.call(server, () => resolve())
  })
  const quietMs = Math.min(QUIET_MS, graceMs / 2)
  const tidy = setInterval(() => connections.closeQuiet(quietMs), QUIET_CHECK_MS)
  const cut = setTimeout(() => connections.closeAll(), graceMs)
  await closed
  clearInterval(tidy)
  clearTimeout(cut)
  // Ends the timers of node:http.
  server.close()
}
