import { connect } from 'node:net'
import type { TestContext } from 'node:test'

/** A connection that a test writes to piece by piece. Bytes are latin1, one per character. */
export interface HeldConnection {
  send(bytes: string): void
  /** What was received so far. */
  received(): string
  /** Resolves once the received bytes satisfy the test; rejects if the connection ends first. */
  until(isEnough: (received: string) => boolean): Promise<string>
  /** Resolves with everything that came, when the other side closes. */
  readonly closed: Promise<string>
  pause(): void
  resume(): void
}

/**
 * Opens a connection from `localAddress` to `host`, which on loopback may be any of 127.0.0.0/8. With `allowHalfOpen` this side
 * stays open when the other one ends.
 */
export async function holdConnection(
  t: TestContext,
  port: number,
  { host = '127.0.0.1', localAddress = '127.0.0.1', allowHalfOpen = false } = {},
): Promise<HeldConnection> {
  const socket = connect({ port, host, localAddress, allowHalfOpen })
  const chunks: Buffer[] = []
  const received = () => Buffer.concat(chunks).toString('latin1')
  const waiting = new Set<() => void>()
  const { promise: closed, resolve } = Promise.withResolvers<string>()
  let isClosed = false
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    for (const look of waiting) look()
  })
  // A reset ends the connection as well; what matters is what was received before it.
  socket.on('error', () => {})
  socket.on('close', () => {
    isClosed = true
    resolve(received())
    for (const look of waiting) look()
  })
  t.after(() => socket.destroy())
  await new Promise<void>((connected, failed) => {
    socket.once('connect', () => connected())
    socket.once('error', failed)
  })
  return {
    send: (bytes) => void socket.write(bytes, 'latin1'),
    received,
    until: (isEnough) =>
      new Promise((done, failed) => {
        const look = (): void => {
          if (isEnough(received())) done(received())
          else if (isClosed) failed(new Error(`The connection ended after ${received()}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
    closed,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  }
}
