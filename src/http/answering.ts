import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../service/log.ts'
import type { App, Reply } from './api-request.ts'
import { apiRequestOf } from './incoming-request.ts'
import type { OpenConnections } from './open-connections.ts'
import type { RequestBody } from './request-body.ts'

/** What answering needs beside the app. */
export interface AnsweringParts {
  readonly connections: OpenConnections
  /** Whether the listener takes no new connection any more. */
  readonly isStopping: () => boolean
  readonly log: Log
}

/** Answers a request. Returns a promise when that takes a while; neither throws nor rejects. */
export type Answering = (
  request: IncomingMessage,
  response: ServerResponse,
  target: string,
  body: RequestBody,
) => Promise<void> | undefined

function writeReply(
  request: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  isLast: boolean,
): void {
  // A 304 carries only what a cache may merge into what it stored; persistence is HTTP/1.1's default anyway.
  if (!isLast && reply.status === 304 && request.httpVersion === '1.1')
    response.removeHeader('Connection')
  // Node reads the list and leaves it as it is; only its type does not say so.
  const headers = reply.headers as string[]
  response.writeHead(reply.status, isLast ? [...headers, 'Connection', 'close'] : headers)
  response.end(reply.body)
}

/** Lets the app answer requests, and writes what it says. */
export function createAnswering(
  app: App,
  { connections, isStopping, log }: AnsweringParts,
): Answering {
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
    const isLast = isStopping() && connections.lastOf(request.socket)?.response === response
    if (isLast) connections.endBehind(request.socket)
    writeReply(request, response, reply, isLast)
  }

  /** The app threw or rejected, or its reply cannot be written: nothing can be said to this request. */
  function abandon(response: ServerResponse, error: unknown): void {
    log.error({ err: error }, 'The app failed, which it never should; the connection is cut')
    if (response.socket !== null) response.destroy()
    // Answers to earlier requests go out first; this one would leave the connection waiting for ever.
    else response.once('socket', (socket: Socket) => socket.destroy())
  }

  return (request, response, target, body) => {
    try {
      const reply = app(apiRequestOf(request, target, body))
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
  }
}
