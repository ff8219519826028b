import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP relay whose responses can be delayed or withheld while its connections stay open. */
export interface DelayingRelay {
  readonly port: number
  /** Milliseconds by which responses are delayed from now on; Infinity withholds them until another value is set. */
  setDelay(delayMs: number): void
  /** Never passes another response of the open connections on, and leaves them open. New connections work. */
  loseConnections(): void
}

/** Starts a relay to a port of the loopback. It ends with the test. */
export async function startDelayingRelay(
  t: { after(end: () => void): void },
  upstreamPort: number,
): Promise<DelayingRelay> {
  const sockets = new Set<Socket>()
  const upstreams = new Set<Socket>()
  const timers = new Set<NodeJS.Timeout>()
  let delayMs = 0
  const listener = createServer((client) => {
    const upstream = connect(upstreamPort, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    upstreams.add(upstream)
    client.pipe(upstream)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => {
      upstreams.delete(upstream)
      client.destroy()
    })
    let dueMs = 0
    upstream.on('data', (chunk) => {
      // In order, also after a shorter delay was set.
      const nowMs = performance.now()
      dueMs = Math.max(dueMs, nowMs + delayMs)
      const timer = setTimeout(() => {
        timers.delete(timer)
        if (client.writable) client.write(chunk)
      }, dueMs - nowMs)
      timers.add(timer)
    })
    if (delayMs === Infinity) upstream.pause()
  })
  t.after(() => {
    listener.close()
    for (const timer of timers) clearTimeout(timer)
    for (const socket of sockets) socket.destroy()
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    setDelay(nextMs) {
      delayMs = nextMs
      for (const upstream of upstreams) {
        if (nextMs === Infinity) upstream.pause()
        else upstream.resume()
      }
    },
    loseConnections() {
      for (const upstream of upstreams) upstream.pause()
      upstreams.clear()
    },
  }
}
