import { connect, type Socket } from 'node:net'
import type { Server } from './processes.ts'

// The load comes from this process. It implements as little HTTP as it needs, so that it costs less than any server it
// measures: a prepared request on each keep-alive connection, the next one as soon as the response is complete.

/** Keep-alive connections of the load, enough to keep a server busy. */
export const CONNECTIONS = 16

/** A number of requests that differ only in their body. */
export interface Load {
  readonly port: number
  readonly method: string
  readonly target: string
  /** In addition to Host, User-Agent and Accept. */
  readonly headers: { readonly [name: string]: string }
  readonly expectedStatus: number
  /** Must appear in every response. */
  readonly expectedText?: string
  /** The body of each request, by its index. All have the same length. */
  readonly body?: (index: number) => string
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number
  readonly requests: number
}

/** Result of a load; every response was the expected one. */
interface LoadResult {
  readonly seconds: number
  /** Median time from the request's first byte sent to the response's last byte received. */
  readonly latencyMs: number
}

/** One measurement of one process under load. */
export interface Sample extends LoadResult {
  /** CPU time per request, all threads. */
  readonly cpuMicros: number
  /** Requests per second. */
  readonly rate: number
  /** CPU time divided by elapsed time. Well below 1, the load or the machine limited the rate. */
  readonly busy: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** The bytes of each request, by index. */
function createRequests({ port, method, target, headers, body }: Load): (index: number) => Buffer {
  const fields = {
    Host: `127.0.0.1:${port}`,
    // As curl sends them: a request with Host alone would be unrealistically cheap to parse.
    'User-Agent': 'curl/8.14.1',
    Accept: '*/*',
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body(0))) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  if (body === undefined) {
    const request = Buffer.from(head)
    return () => request
  }
  return (index) => Buffer.from(head + body(index))
}

/** Length of the first response in the buffer, or undefined while it is incomplete. Throws for another status. */
function responseBytes(received: Buffer, { method, expectedStatus }: Load): number | undefined {
  const end = received.indexOf(HEAD_END)
  if (end === -1) return undefined
  const head = received.toString('latin1', 0, end + 2)
  const status = head.slice(9, 12)
  if (status !== String(expectedStatus)) {
    throw new Error(`expected the status ${expectedStatus}, found ${status}`)
  }
  const hasBody = method !== 'HEAD' && expectedStatus !== 304
  const bytes = end + 4 + (hasBody ? Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0) : 0)
  return received.length < bytes ? undefined : bytes
}

/** Sends the requests of a load from this process. Rejects if a response is unexpected. */
export function runLoad(load: Load): Promise<LoadResult> {
  const requestAt = createRequests(load)
  const latenciesMs = new Float64Array(load.requests)
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const connections: { readonly socket: Socket; readonly send: () => void }[] = []
  let sent = 0
  let completed = 0
  let startedMs = 0
  let isRunning = true

  const finish = (error?: Error) => {
    const seconds = (performance.now() - startedMs) / 1000
    isRunning = false
    for (const { socket } of connections) socket.destroy()
    if (error !== undefined) return reject(error)
    latenciesMs.sort()
    return resolve({ seconds, latencyMs: latenciesMs[load.requests >> 1] ?? 0 })
  }
  // Never sleeps under load: a server on the same machine would pay for waking this process with every response, which it
  // does not for a remote client.
  const stayAwake = () => {
    if (isRunning) setImmediate(stayAwake)
  }
  const open = () => {
    const socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true })
    let pending: Buffer | undefined
    let sentMs = 0
    const send = () => {
      if (sent === load.requests) return
      const request = requestAt(sent)
      sent += 1
      sentMs = performance.now()
      socket.write(request)
    }
    connections.push({ socket, send })
    socket.on('data', (chunk: Buffer) => {
      const received = pending === undefined ? chunk : Buffer.concat([pending, chunk])
      try {
        const bytes = responseBytes(received, load)
        pending = bytes === undefined ? received : undefined
        if (bytes === undefined) return
        if (bytes < received.length) throw new Error('a response is longer than its Content-Length')
        if (load.expectedText !== undefined && !received.includes(load.expectedText)) {
          throw new Error(`expected ${load.expectedText} in every response, found one without it`)
        }
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
        return
      }
      latenciesMs[completed] = performance.now() - sentMs
      completed += 1
      if (completed === load.requests) finish()
      else send()
    })
    socket.once('error', finish)
    socket.once('end', () => finish(new Error('the server closed a connection under load')))
    return new Promise<void>((opened) => {
      socket.once('connect', opened)
    })
  }

  const begin = async () => {
    await Promise.all(Array.from({ length: load.connections }, open))
    stayAwake()
    startedMs = performance.now()
    for (const { send } of connections) send()
  }
  begin().catch(reject)
  return promise
}

/** Measures a server under a load. */
export async function measureLoad(server: Server, load: Omit<Load, 'port'>): Promise<Sample> {
  const before = server.cpuMicros()
  const result = await runLoad({ ...load, port: server.port })
  const used = server.cpuMicros() - before
  const { requests } = load
  const busy = used / 1e6 / result.seconds
  return { ...result, cpuMicros: used / requests, rate: requests / result.seconds, busy }
}
