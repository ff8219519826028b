import { connect, type Socket } from 'node:net'
import { numbered, type Load, type LoadResult } from './load.ts'

// The process that generates the load. It implements as little HTTP as it needs, so that it costs less than any server it
// measures: a prepared request on each keep-alive connection, the next one as soon as the response is complete.

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** As curl sends them: a request with Host alone would be unrealistically cheap to parse. */
const CLIENT_HEADERS = { 'User-Agent': 'curl/8.14.1', Accept: '*/*' }

/** The bytes of each request, by index. */
function createRequests({ port, method, target, headers, body }: Load): (index: number) => Buffer {
  const fields = {
    Host: `127.0.0.1:${port}`,
    ...CLIENT_HEADERS,
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body.text)) }),
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`
  if (body === undefined) {
    const request = Buffer.from(head)
    return () => request
  }
  const { text, first, count, step } = body
  return (index) => Buffer.from(head + numbered(text, first + ((index * step) % count)))
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

function makeLoad(load: Load): Promise<LoadResult> {
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
    const quantile = (share: number) => latenciesMs[Math.floor((load.requests - 1) * share)] ?? 0
    const latencyMs = { median: quantile(0.5), p95: quantile(0.95) }
    return resolve({ completed, seconds, latencyMs })
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

process.on('message', (load: Load) => {
  makeLoad(load).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
