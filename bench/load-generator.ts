import { connect, type Socket } from 'node:net'
import { NUMBER_PLACE, type Load, type LoadResult } from './load.ts'

// The process that makes the load. It speaks as little HTTP as it needs, so that it costs less than any server it asks:
// a request that is ready, or ready but for a number, on each of some keep-alive connections, the next one when the
// answer is there in full.

const HEAD_END = Buffer.from('\r\n\r\n')
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** As curl sends them: a request with no header but Host would flatter every server. */
const CLIENT_HEADERS = { 'User-Agent': 'curl/8.14.1', Accept: '*/*' }

/** Bytes of the first answer in the buffer, or undefined while it is not there in full. */
function answerBytes(received: Buffer, { method, expectedStatus }: Load): number | undefined {
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

/** Gives the bytes of each request by its index. */
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
  const [before = '', ...after] = text.split(NUMBER_PLACE)
  if (after.length === 0) {
    const request = Buffer.from(head + text)
    return () => request
  }
  return (index) => {
    const number = String(first + ((index * step) % count)).padStart(NUMBER_PLACE.length, '0')
    return Buffer.from([head, before, number, ...after].join(''))
  }
}

/** The latency that a share of all requests stayed below. */
function latencyAt(sorted: Float64Array, share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
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
    const latencyMs = { median: latencyAt(latenciesMs, 0.5), p95: latencyAt(latenciesMs, 0.95) }
    return resolve({ completed, seconds, latencyMs })
  }
  // Never asleep under load: a server on the same machine would pay for waking this process with every answer, which no
  // server does for a client far away.
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
        const bytes = answerBytes(received, load)
        pending = bytes === undefined ? received : undefined
        if (bytes === undefined) return
        if (bytes < received.length) throw new Error('an answer is longer than its Content-Length')
        if (load.expectedText !== undefined && !received.includes(load.expectedText)) {
          throw new Error(`expected ${load.expectedText} in every answer, found one without it`)
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
    socket.once('end', () => finish(new Error('the server ended a connection under load')))
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
