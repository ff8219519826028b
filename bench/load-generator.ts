import { connect, type Socket } from 'node:net'
import { NUMBER_PLACE, type Load, type LoadResult } from './load.ts'
import { answerBytes, requestHead } from './wire.ts'

// The process that makes the load. It speaks as little HTTP as it needs, so that it costs less than any server it asks:
// a request that is ready, or ready but for a number, on each of some keep-alive connections, the next one when the
// answer is there in full.

/** Gives the bytes of each request by its index. */
function createRequests({
  port,
  method,
  target,
  headers,
  rotating,
  body,
}: Load): (index: number) => Buffer {
  const fields = {
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body.text)) }),
  }
  const head = requestHead(port, method, target, fields)
  if (rotating !== undefined) {
    if (body !== undefined) throw new Error('expected a rotating header or a body, found both')
    const requests = rotating.values.map((value) =>
      Buffer.from(requestHead(port, method, target, { ...fields, [rotating.name]: value })),
    )
    return (index) => requests[index % requests.length] ?? Buffer.alloc(0)
  }
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
