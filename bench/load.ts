import { connect, type Socket } from 'node:net'
import type { Server } from './processes.ts'

// The load comes from this process. It implements as little HTTP as it needs, so that it costs less than any server it
// measures: a prepared request on each keep-alive connection, the next one as soon as the response is complete.

/** Keep-alive connections of the load, enough to keep a server busy. */
export const CONNECTIONS = 16

/** A number of equal requests. */
export interface Load {
  readonly port: number
  readonly method: string
  readonly target: string
  /** In addition to Host, User-Agent and Accept. */
  readonly headers: { readonly [name: string]: string }
  readonly expectedStatus: number
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number
  readonly requests: number
}

/** One measurement of one process under load. */
export interface Sample {
  /** CPU time per request, all threads. */
  readonly cpuMicros: number
  /** Requests per second. */
  readonly rate: number
  /** CPU time divided by elapsed time. Well below 1, the load or the machine limited the rate. */
  readonly busy: number
}

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

function formatRequest({ port, method, target, headers }: Load): Buffer {
  const fields = {
    Host: `127.0.0.1:${port}`,
    // As curl sends them: a request with Host alone would be unrealistically cheap to parse.
    'User-Agent': 'curl/8.14.1',
    Accept: '*/*',
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`)
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

/** Sends the requests of a load from this process. Resolves with the seconds; rejects if a response is unexpected. */
export function runLoad(load: Load): Promise<number> {
  const request = formatRequest(load)
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const connections: { readonly socket: Socket; readonly send: () => void }[] = []
  let sent = 0
  let completed = 0
  let startedMs = 0
  let isRunning = true

  const finish = (error?: Error) => {
    const seconds = (performance.now() - startedMs) / 1000
    isRunning = false
    for (const { socket } of connections) socket.destroy()
    if (error === undefined) resolve(seconds)
    else reject(error)
  }
  // Never sleeps under load: a server on the same machine would pay for waking this process with every response, which it
  // does not for a remote client.
  const stayAwake = () => {
    if (isRunning) setImmediate(stayAwake)
  }
  const open = () => {
    const socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true })
    let pending: Buffer | undefined
    const send = () => {
      if (sent === load.requests) return
      sent += 1
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
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
        return
      }
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
  const seconds = await runLoad({ ...load, port: server.port })
  const used = server.cpuMicros() - before
  const { requests } = load
  const busy = used / 1e6 / seconds
  return { cpuMicros: used / requests, rate: requests / seconds, busy }
}
