import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { NO_INDEX_HEADERS } from '../contract/headers.ts'
import type { Log } from '../service/log.ts'
import { createAnswering } from './answering.ts'
import type { App } from './api-request.ts'
import { closeInStages, endConnection } from './connection-closing.ts'
import { refuseNonRequests } from './connection-refusals.ts'
import { trackConnections } from './open-connections.ts'
import { createPipelinedRequests } from './pipelined-requests.ts'
import { hasBody, NO_BODY, openRequestBody } from './request-body.ts'
import { expectsContinueOnly, framingFault, hasOpenEnd, originFormOf } from './request-framing.ts'

/**
 * Told of every answer once it is written, for metrics. What broke off before its headers had come has neither a method
 * nor a time.
 */
export type AnswerObserver = (
  method: string | undefined,
  status: number,
  seconds: number | undefined,
) => void

/** What a listener needs beside the app. */
export interface ListenerOptions {
  /** Whether search engines are told to stay away, also on answers that no pipeline made. */
  readonly noIndex: boolean
  readonly log: Log
  readonly onAnswer?: AnswerObserver
}

/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
/** Node looks for late requests this often; its own 30 s would let 15 s be 45. */
const TIMEOUT_CHECK_MS = 1000
/** Longer than the idle time of common load balancers (60 s), so that it is not this side that closes under a request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** While the listener stops, connections are looked at this often for whether they have become idle. */
const IDLE_CHECK_MS = 50

const SERVER_OPTIONS = {
  headersTimeout: HEADERS_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // Host is checked here, since Node's own answer to a bad one could be cached.
  requireHostHeader: false,
  noDelay: true,
  // A request without a body ends at once, rather than as a stream that nobody reads: 1 µs of 40.
  optimizeEmptyRequests: true,
} as const

/** Its body is read all the same: what stays unread resets the connection. */
function passOver(request: IncomingMessage): void {
  request.resume()
}

/** An HTTP server for the app. Not listening yet; `stopListening` ends it. */
export function createListener(app: App, { noIndex, log, onAnswer }: ListenerOptions): Server {
  const server = createServer(SERVER_OPTIONS, take)
  const connections = trackConnections(server)
  closeInStages(server)
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []
  const onRefusal = (status: number) => onAnswer?.(undefined, status, undefined)
  const refuse = refuseNonRequests(server, { connections, robotsTag, onRefusal })
  const isStopping = () => !server.listening
  const answer = createAnswering(app, { connections, isStopping, log })
  const inTurn = createPipelinedRequests()

  /** Takes a request up: from here on it is owed an answer, which is counted. */
  function begin(request: IncomingMessage, response: ServerResponse, isBodyComing: boolean): void {
    connections.begin(request, response, isBodyComing)
    if (onAnswer === undefined) return
    const started = performance.now()
    response.once('finish', () => {
      onAnswer(request.method, response.statusCode, (performance.now() - started) / 1000)
    })
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    // The parser hands such a request over before it reports it as an error; the refusal of that is the one answer.
    if (hasOpenEnd(request)) return
    if (connections.isEnding(request.socket)) return passOver(request)
    const isBodyComing = hasBody(request)
    begin(request, response, isBodyComing)
    // Node loses what came with an offer to upgrade and stands behind it, so nothing may stand there.
    if (request.headers.upgrade !== undefined) {
      connections.endBehind(request.socket)
      response.shouldKeepAlive = false
    }
    const fault = framingFault(request)
    if (fault !== undefined) return refuse(request, response, fault)
    const { url = '' } = request
    if (url === '*' && request.method === 'OPTIONS') {
      return void response.writeHead(204, [...robotsTag]).end()
    }
    const target = originFormOf(url)
    if (target === undefined) return refuse(request, response, 400)
    const body = isBodyComing
      ? openRequestBody(request, response, () => endConnection(request.socket, ''))
      : NO_BODY
    inTurn(request.socket, request.method ?? 'GET', () => answer(request, response, target, body))
  }

  function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    if (connections.isEnding(request.socket)) return passOver(request)
    begin(request, response, hasBody(request))
    refuse(request, response, 417)
  }

  server.on('checkExpectation', refuseExpectation)
  // Node takes whatever has the words in it for this expectation.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!expectsContinueOnly(request)) return refuseExpectation(request, response)
    if (connections.isEnding(request.socket)) return passOver(request)
    response.writeContinue()
    take(request, response)
    return undefined
  })
  // A connection that could not be taken up, such as for want of file handles. What keeps it from listening is told by
  // `listen`.
  server.on('error', (error) => {
    if (server.listening) log.error({ err: error }, 'The listener failed to take up a connection')
  })
  return server
}

/** Listens; resolves with the port that was taken. Rejects with the reason in words. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    function fail(error: NodeJS.ErrnoException): void {
      const reason =
        error.code === 'EADDRINUSE' ? 'another program listens there already' : error.message
      reject(new Error(`Cannot listen on ${host} port ${port}: ${reason}`))
    }
    server.once('error', fail)
    server.listen(port, host, () => {
      server.off('error', fail)
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : port)
    })
  })
}

/** Accepts nothing more, lets what is in flight finish for up to `graceMs`, then cuts what is left. */
export async function stopListening(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // `close` ends what is idle now; a request that was answered before its body had come is idle only later.
  const tidy = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(tidy)
  clearTimeout(cut)
}
