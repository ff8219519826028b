import { connect } from 'node:net'
import type { TimedRequests } from './key-timing.ts'
import { answerBytes, requestHead } from './wire.ts'

// The process that asks one thing after the other on one connection and takes the time of each. It knows of no classes:
// it sends texts in the order in which it got them, and tells the nanoseconds in that order.

/** The requests one behind the other in memory, in their order, so that none is nearer at hand than another. */
function layOut({ port, method, target, header, values }: TimedRequests): readonly Buffer[] {
  const texts = values.map((value) => requestHead(port, method, target, { [header]: value }))
  const all = Buffer.allocUnsafeSlow(texts.reduce((sum, text) => sum + text.length, 0))
  let end = 0
  return texts.map((text) => {
    const begin = end
    end += all.write(text, begin, 'latin1')
    return all.subarray(begin, end)
  })
}

function takeTimes(asked: TimedRequests): Promise<readonly number[]> {
  const requests = layOut(asked)
  const nanos = new Float64Array(requests.length)
  const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
  const socket = connect({ host: '127.0.0.1', port: asked.port, noDelay: true })
  let pending: Buffer | undefined
  let sent = 0
  let sentMs = 0
  let isRunning = true

  const finish = (error?: Error) => {
    isRunning = false
    socket.destroy()
    if (error === undefined) resolve([...nanos.subarray(asked.warmUp)])
    else reject(error)
  }
  // Never asleep, since waking up takes longer than what is looked for.
  const stayAwake = () => {
    if (isRunning) setImmediate(stayAwake)
  }
  const send = () => {
    const request = requests[sent]
    if (request === undefined) return finish()
    sentMs = performance.now()
    socket.write(request)
    return undefined
  }
  socket.on('data', (chunk: Buffer) => {
    const receivedMs = performance.now()
    const received = pending === undefined ? chunk : Buffer.concat([pending, chunk])
    try {
      const bytes = answerBytes(received, asked)
      pending = bytes === undefined ? received : undefined
      if (bytes === undefined) return
      if (bytes < received.length) throw new Error('an answer is longer than its Content-Length')
    } catch (error) {
      finish(error instanceof Error ? error : new Error(String(error)))
      return
    }
    nanos[sent] = Math.round((receivedMs - sentMs) * 1e6)
    sent += 1
    send()
  })
  socket.once('error', finish)
  socket.once('end', () => finish(new Error('the server ended a connection under load')))
  socket.once('connect', () => {
    stayAwake()
    send()
  })
  return promise
}

process.on('message', (asked: TimedRequests) => {
  takeTimes(asked).then(
    (nanos) => process.send?.({ nanos }),
    (error: unknown) => process.send?.({ error: String(error) }),
  )
})
process.on('disconnect', () => process.exit())
