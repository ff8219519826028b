import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** How a client reads: as it comes, some at a time, or only after it has sent everything. */
export type Reading = 'at once' | 'slowly' | 'late'

export interface PipelinedResponse {
  readonly status: number
  readonly says: 'close' | 'keep-alive'
  readonly body: string
}

/** What a client received over one connection. */
export interface Pipelined {
  readonly responses: readonly PipelinedResponse[]
  /** Bytes after the last whole response. */
  readonly rest: string
  /** How long after the last byte the server ended the connection; undefined if it did not. */
  readonly endedAfterMs: number | undefined
  /** The longest time without a byte while a response was owed. */
  readonly silentMs: number
}

/** Splits off every whole response. */
function parse(bytes: string): Pick<Pipelined, 'responses' | 'rest'> {
  const responses: PipelinedResponse[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n') + 4
    const head = rest.slice(0, end)
    const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    if (end < 4 || rest.length < end + length) return { responses, rest }
    const says = /^connection: *close/im.test(head) ? 'close' : 'keep-alive'
    responses.push({ status: Number(head.slice(9, 12)), says, body: rest.slice(end, end + length) })
    rest = rest.slice(end + length)
  }
}

/** Sends packets one after the other, and reads until as many responses came or the server ended the connection. */
export async function pipeline(
  port: number,
  packets: readonly string[],
  expected: number,
  reading: Reading = 'at once',
  timeoutMs = 10_000,
): Promise<Pipelined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  const chunks: Buffer[] = []
  let lastMs = performance.now()
  let silentMs = 0
  let count = 0
  let endedAtMs: number | undefined
  const { promise: done, resolve } = Promise.withResolvers<void>()
  socket.on('error', () => {})
  socket.on('close', () => resolve())
  socket.on('end', () => {
    endedAtMs = performance.now()
    resolve()
  })
  socket.on('data', (chunk: Buffer) => {
    const nowMs = performance.now()
    silentMs = Math.max(silentMs, nowMs - lastMs)
    lastMs = nowMs
    chunks.push(chunk)
    count += chunk.toString('latin1').split('HTTP/1.1 ').length - 1
    if (reading === 'slowly') {
      socket.pause()
      setTimeout(() => socket.resume(), 1)
    }
    if (count < expected) return
    const { responses, rest } = parse(Buffer.concat(chunks).toString('latin1'))
    if (responses.length >= expected && rest === '' && responses.at(-1)?.says !== 'close') resolve()
  })
  if (reading === 'late') socket.pause()
  for (const packet of packets) {
    if (socket.destroyed || !socket.writable) break
    socket.write(packet, 'latin1')
    if (packets.length > 1) await delay(0)
  }
  if (reading === 'late') {
    await delay(50)
    lastMs = performance.now()
    socket.resume()
  }
  await Promise.race([done, delay(timeoutMs, undefined, { ref: false })])
  const found = parse(Buffer.concat(chunks).toString('latin1'))
  // Surplus bytes would arrive now.
  if (endedAtMs === undefined) await delay(20)
  const late = parse(Buffer.concat(chunks).toString('latin1'))
  socket.destroy()
  return {
    responses: late.responses,
    rest: found.rest,
    endedAfterMs: endedAtMs === undefined ? undefined : endedAtMs - lastMs,
    silentMs,
  }
}
