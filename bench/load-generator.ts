import { connect, type Socket } from 'node:net'
import { NUMBER_PLACEHOLDER, type Load, type LoadResult } from './load.ts'
import { responseBytes, requestHead } from './wire.ts'

// The process that generates the load. It implements as little HTTP as it needs, so that it costs less than any server it
// measures: a prepared request on each keep-alive connection, the next one as soon as the response is complete.

/** The bytes of each request, by index. */
function createRequests({ port, method, target, headers, body }: Load): (index: number) => Buffer {
  const fields = {
    ...headers,
    ...(body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body.text)) }),
  }
  const head = requestHead(port, method, target, fields)
  if (body === undefined) {
    const request = Buffer.from(head)
    return () => request
  }
  const { text, first, count, step } = body
  const [before = '', ...after] = text.split(NUMBER_PLACEHOLDER)
  if (after.length === 0) {
    const request = Buffer.from(head + text)
    return () => request
  }
  return (index) => {
    const number = String(first + ((index * step) % count)).padStart(NUMBER_PLACEHOLDER.length, '0')
    return Buffer.from([head, before, number, ...after].join(''))
  }
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
