import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { HEADERS, NO_INDEX_HEADERS } from '../contract/headers.ts'
import type { Log } from '../service/log.ts'
import { pathOf, type ApiRequest, type App, type Reply } from './api-request.ts'
import { trackConnections } from './open-connections.ts'
import { createPipelinedRequests } from './pipelined-requests.ts'
import { hasBody, NO_BODY, openRequestBody, type RequestBody } from './request-body.ts'

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

/**
 * Of these Node keeps only the first line. A key must not hide behind another's, and neither must what a body is or where
 * it comes from.
 */
const TOLD_WHOLE: ReadonlySet<string> = new Set(
  [HEADERS.authorization, HEADERS.contentType, HEADERS.referer].map((name) => name.toLowerCase()),
)
/** How long a client may take to send its headers, and its whole request. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
/** Node looks for late requests this often; its own 30 s would let 15 s be 45. */
const TIMEOUT_CHECK_MS = 1000
/** Longer than the idle time of common load balancers (60 s), so that it is not this side that closes under a request. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000
/** A connection that this side ended is read on for so long, so that nothing still coming resets the last answer away. */
const LINGER_MS = 2000
/** While the listener stops, connections are looked at this often for whether they have become idle. */
const IDLE_CHECK_MS = 50

/** `scheme://authority`. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]+)/i
/**
 * `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2.2). A host that is empty, or a user before it, makes an http address
 * invalid (RFC 9110 4.2.1 and 4.2.4).
 */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::\d*)?$/i

/** The one expectation that HTTP has; each line and each member of a list states another (RFC 9110 10.1.1). */
function expectsContinueOnly({ headers }: IncomingMessage): boolean {
  const expectations = headers.expect?.split(',') ?? []
  return expectations.every((each) => each.trim().toLowerCase() === '100-continue')
}

/** The request target in origin form, or undefined when it is of no form that is served (RFC 9112 3.2). */
export function originFormOf(target: string): string | undefined {
  if (target.startsWith('/')) return target
  const [start = '', authority = ''] = ABSOLUTE_FORM.exec(target) ?? []
  if (!HOST.test(authority)) return undefined
  const rest = target.slice(start.length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** Whether the request has the one well-formed Host that RFC 9112 3.2 asks for (HTTP/1.0 may have none). */
function hasValidHost(request: IncomingMessage): boolean {
  const { rawHeaders } = request
  let host: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) return false
    host = rawHeaders[index + 1] ?? ''
  }
  if (host === undefined) return request.httpVersion === '1.0'
  return HOST.test(host)
}

function apiRequestOf(request: IncomingMessage, target: string, body: RequestBody): ApiRequest {
  return {
    method: request.method ?? 'GET',
    target,
    path: pathOf(target),
    // A function and no getter: a literal with one would make V8 lay out every request anew.
    peerAddress: () => request.socket.remoteAddress ?? '',
    readBody: (limitBytes) => body.read(limitBytes),
    header(name) {
      const value = request.headers[name]
      if (value !== undefined && TOLD_WHOLE.has(name)) {
        return request.headersDistinct[name]?.join(', ')
      }
      return Array.isArray(value) ? value.join(', ') : value
    },
  }
}

/** Whether nobody can tell where the body ends: a transfer coding, but not chunked at last (RFC 9112 6.3). */
function hasOpenEnd({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && !/(?:^|,)[ \t]*chunked$/i.test(coding)
}

/** Whether the body is in a transfer coding that nobody here undoes (RFC 9112 6.1). */
function isCoded({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked'
}

/** Ends a connection with the given bytes, and gives the client time to read them (RFC 9112 9.6). */
function endConnection(socket: Socket, bytes: string): void {
  // Ended already, behind an answer that said so.
  if (!socket.writable) return
  socket.end(bytes, 'latin1')
  // Read on, so that the client's own end is noticed and what it still sends does not reset the answer away.
  socket.resume()
  const lingering = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(lingering))
}

/** An HTTP server for the app. Not listening yet; `stopListening` ends it. */
export function createListener(app: App, { noIndex, log, onAnswer }: ListenerOptions): Server {
  const robotsTag = noIndex ? NO_INDEX_HEADERS : []

  /** Answers to what is no request of ours: no method and target to sign, so an empty body (contract decisions 3.16). */
  const emptyHeaders = [
    'Cache-Control',
    'no-store',
    'Connection',
    'close',
    'Content-Length',
    '0',
    ...robotsTag,
  ]

  /** Connections whose last request is known: what still comes on them is not done (RFC 9112 9.6). */
  const ending = new WeakSet<Socket>()

  /** Takes a request up: from here on it is owed an answer, which is counted. */
  function begin(request: IncomingMessage, response: ServerResponse, isBodyComing: boolean): void {
    connections.begin(request, response, isBodyComing)
    if (onAnswer === undefined) return
    const started = performance.now()
    response.once('finish', () => {
      onAnswer(request.method, response.statusCode, (performance.now() - started) / 1000)
    })
  }

  /** Its body is read all the same: what stays unread resets the connection. */
  function passOver(request: IncomingMessage): void {
    request.resume()
  }

  function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
    ending.add(request.socket)
    response.writeHead(status, emptyHeaders)
    response.end()
  }

  function refusalText(status: number): string {
    const fields: string[] = []
    for (let index = 0; index < emptyHeaders.length; index += 2) {
      fields.push(`${emptyHeaders[index]}: ${emptyHeaders[index + 1]}\r\n`)
    }
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nDate: ${new Date().toUTCString()}\r\n`
    return `${line}${fields.join('')}\r\n`
  }

  /** Refuses what is no request: there is no response to write to. */
  function refuseBare(socket: Socket, status: number): void {
    if (!socket.writable) return
    endConnection(socket, refusalText(status))
    onAnswer?.(undefined, status, undefined)
  }

  /** Connections that take nothing more; the parser reports every further byte of one as another error. */
  const refused = new WeakSet<Socket>()

  /**
   * Refuses what came last on a connection, and ends it. Answers that are still owed come first: a client counts them,
   * and would take a refusal that overtook one for the answer to an earlier request.
   */
  function refuseLast(socket: Socket, status: number): void {
    if (refused.has(socket) || !socket.writable) return
    refused.add(socket)
    const last = connections.lastOf(socket)
    if (last === undefined) {
      refuseBare(socket, status)
      return
    }
    const { request, response } = last
    // What broke is the body of a request that came whole up to there: the one answer it gets is this, or was given.
    const isItsBody = !request.complete
    if (isItsBody && !response.headersSent) {
      refuse(request, response, status)
      return
    }
    const end = () => (isItsBody ? endConnection(socket, '') : refuseBare(socket, status))
    if (response.writableFinished) end()
    else response.once('finish', end)
  }

  function write(
    request: IncomingMessage,
    response: ServerResponse,
    body: RequestBody,
    reply: Reply,
  ): void {
    // Refused meanwhile, since its body broke.
    if (response.headersSent) return
    body.passOver()
    // While the listener stops, the last answer that is owed says so: Node sends nothing behind the one that does.
    const isLast = !server.listening && connections.lastOf(request.socket)?.response === response
    if (isLast) ending.add(request.socket)
    // A 304 carries only what a cache may merge into what it stored; persistence is HTTP/1.1's default anyway.
    if (!isLast && reply.status === 304 && request.httpVersion === '1.1')
      response.removeHeader('Connection')
    // Node reads the list and leaves it as it is; only its type does not say so.
    const headers = reply.headers as string[]
    response.writeHead(reply.status, isLast ? [...headers, 'Connection', 'close'] : headers)
    response.end(reply.body)
  }

  /** The app threw or rejected, or its reply cannot be written: nothing can be said to this request. */
  function abandon(response: ServerResponse, error: unknown): void {
    log.error({ err: error }, 'The app failed, which it never should; the connection is cut')
    if (response.socket !== null) response.destroy()
    // Answers to earlier requests go out first; this one would leave the connection waiting for ever.
    else response.once('socket', (socket: Socket) => socket.destroy())
  }

  const inTurn = createPipelinedRequests()
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Host is checked here, since Node's own answer to a bad one could be cached.
      requireHostHeader: false,
      noDelay: true,
      // A request without a body ends at once, rather than as a stream that nobody reads: 1 µs of 40.
      optimizeEmptyRequests: true,
    },
    (request, response) => {
      const method = request.method ?? 'GET'
      const isBodyComing = hasBody(request)
      // The parser hands such a request over before it reports it as an error; the refusal of that is the one answer.
      if (hasOpenEnd(request)) return undefined
      if (ending.has(request.socket)) return passOver(request)
      begin(request, response, isBodyComing)
      // Node loses what came with an offer to upgrade and stands behind it, so nothing may stand there.
      if (request.headers.upgrade !== undefined) {
        ending.add(request.socket)
        response.shouldKeepAlive = false
      }
      // The parser knows more versions than have this syntax.
      if (request.httpVersionMajor !== 1) return refuse(request, response, 400)
      if (!hasValidHost(request)) return refuse(request, response, 400)
      if (isCoded(request)) return refuse(request, response, 501)
      const target = request.url ?? ''
      if (target === '*' && method === 'OPTIONS') {
        response.writeHead(204, [...robotsTag])
        response.end()
        return undefined
      }
      const originForm = originFormOf(target)
      if (originForm === undefined) return refuse(request, response, 400)
      const body = isBodyComing
        ? openRequestBody(request, response, () => endConnection(request.socket, ''))
        : NO_BODY
      inTurn(request.socket, method, () => {
        try {
          const reply = app(apiRequestOf(request, originForm, body))
          if (reply instanceof Promise) {
            return reply
              .then((settled) => write(request, response, body, settled))
              .catch((error: unknown) => abandon(response, error))
          }
          write(request, response, body, reply)
        } catch (error) {
          abandon(response, error)
        }
        return undefined
      })
      return undefined
    },
  )

  // A client that has said all it will, and so closed its side, still reads: it gets the answers that are being made, and
  // then the connection ends. Without this an answer that has to wait for the disk would be thrown away. Node has it
  // since its first years and does not document it; a test holds that it works.
  Object.assign(server, { httpAllowHalfOpen: true })
  const connections = trackConnections(server)

  // Behind its last answer Node closes a connection at once. A body that still comes, or requests that were sent behind
  // it, would reset the answers away that the client has not read yet.
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => endConnection(socket, '')
  })

  function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
    if (ending.has(request.socket)) return passOver(request)
    begin(request, response, hasBody(request))
    refuse(request, response, 417)
  }

  server.on('checkExpectation', refuseExpectation)
  // Node takes whatever has the words in it for this expectation.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (!expectsContinueOnly(request)) return refuseExpectation(request, response)
    if (ending.has(request.socket)) return passOver(request)
    response.writeContinue()
    server.emit('request', request, response)
    return undefined
  })
  server.on('connect', ({ socket }: IncomingMessage) => {
    socket.on('error', () => socket.destroy())
    refuseLast(socket, 400)
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === 'ECONNRESET') socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW') refuseLast(socket, 431)
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseLast(socket, 408)
    else refuseLast(socket, 400)
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
