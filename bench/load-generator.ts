import { connect, type Socket } from 'node:net'
import type { Load, LoadResult } from './load.ts'

// The process that makes the load. It speaks as little HTTP as it needs, so that it costs less than any server it asks:
// a fixed request on each of some keep-alive connections, the next one when the answer is there in full.

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

function makeLoad(load: Load): Promise<LoadResult> {
  const fields = { Host: `127.0.0.1:${load.port}`, ...CLIENT_HEADERS, ...load.headers }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = Buffer.from(`${load.method} ${load.target} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const sockets: Socket[] = []
  let sent = 0
  let completed = 0
  let startedMs = 0
  let isRunning = true

  const finish = (error?: Error) => {
    const seconds = (performance.now() - startedMs) / 1000
    isRunning = false
    for (const socket of sockets) socket.destroy()
    if (error === undefined) resolve({ completed, seconds })
    else reject(error)
  }
  // Never asleep under load: a server on the same machine would pay for waking this process with every answer, which no
  // server does for a client far away.
  const stayAwake = () => {
    if (isRunning) setImmediate(stayAwake)
  }
  const send = (socket: Socket) => {
    if (sent === load.requests) return
    sent += 1
    socket.write(request)
  }
  const open = () => {
    const socket = connect({ host: '127.0.0.1', port: load.port, noDelay: true })
    sockets.push(socket)
    let pending: Buffer | undefined
    socket.on('data', (chunk: Buffer) => {
      const received = pending === undefined ? chunk : Buffer.concat([pending, chunk])
      try {
        const bytes = answerBytes(received, load)
        pending = bytes === undefined ? received : undefined
        if (bytes === undefined) return
        if (bytes < received.length) throw new Error('an answer is longer than its Content-Length')
      } catch (error) {
        finish(error instanceof Error ? error : new Error(String(error)))
        return
      }
      completed += 1
      if (completed === load.requests) finish()
      else send(socket)
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
    for (const socket of sockets) send(socket)
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
