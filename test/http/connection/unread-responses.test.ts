import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../../../src/http/api-request.ts'
import { createListener, listen, stopListening } from '../../../src/http/connection/listener.ts'
import { eventually } from '../../support/eventually.ts'
import { holdConnection } from '../../support/held-connection.ts'
import { get, openListener, QUIET_LOG } from '../../support/test-listener.ts'

/** More than the buffers of both sockets take. */
const BIG = 'x'.repeat(30_000_000)
const STALLED_AFTER_MS = 600

/** An app with large responses that counts them. */
function countingApp() {
  let count = 0
  const app: App = ({ target }) => {
    count += 1
    return {
      status: 200,
      headers: ['Content-Length', `${BIG.length}`, 'Target', target],
      body: BIG,
    }
  }
  return { app, count: () => count }
}

/** A listener whose clock stands still until the test moves it. */
async function openClockedListener(t: TestContext, app: App) {
  let nowMs = 0
  const server = createListener(app, {
    noIndex: false,
    log: QUIET_LOG,
    stalledAfterMs: STALLED_AFTER_MS,
    monotonicMs: () => nowMs,
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  const settle = (ms = 200) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  return {
    port,
    stalled: () => server.tracked.counts().stalled,
    /** Moves the clock, and lets the listener look at its connections before and after. */
    async pass(ms: number) {
      await settle()
      nowMs += ms
      await settle()
    },
  }
}

/** A connection that sends and does not read, with the code of the error that ended it. */
async function openUnread(t: TestContext, port: number, bytes: string) {
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  let ended: string | undefined
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    ended = code
  })
  socket.on('close', () => {
    ended ??= 'closed'
  })
  await new Promise<void>((resolve) => {
    socket.write(bytes, () => resolve())
  })
  return { socket, ended: () => ended }
}

/** Waits until a count no longer grows. */
async function settled(count: () => number): Promise<number> {
  let last = -1
  return eventually('the count settles', async () => {
    await sleep(200)
    const now = count()
    if (now === last) return now
    last = now
    return undefined
  })
}

test('makes responses only while the client reads', async (t) => {
  const { app, count } = countingApp()
  const { port } = await openListener(t, app)
  const { socket } = await openUnread(t, port, get('/').repeat(2000))
  const made = await settled(count)
  assert.ok(made <= 2, `made ${made} responses`)
  const other = await holdConnection(t, port)
  other.send(get('/other'))
  await other.until((received) => received.startsWith('HTTP/1.1 200'))
  socket.destroy()
})

test('a client that does not read is reset, and counted', async (t) => {
  const { app, count } = countingApp()
  const { port, stalled, pass } = await openClockedListener(t, app)
  const { ended, socket } = await openUnread(t, port, get('/').repeat(1000))
  await settled(count)
  await pass(STALLED_AFTER_MS - 1)
  assert.equal(ended(), undefined)
  await pass(2)
  assert.equal(stalled(), 1)
  socket.resume()
  await eventually('the connection ended', ended)
  assert.equal(ended(), 'ECONNRESET')
})

test('a client that reads less than 60 KiB of much more is reset; one that reads more is not', async (t) => {
  const { app, count } = countingApp()
  const { port, stalled, pass } = await openClockedListener(t, app)
  const { socket } = await openUnread(t, port, get('/').repeat(1000))
  await settled(count)
  let received = 0
  let goal = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received >= goal) socket.pause()
  })
  for (let round = 0; round < 3; round += 1) {
    await pass(STALLED_AFTER_MS * 0.9)
    assert.equal(stalled(), 0, `round ${round}`)
    goal = received + 3_000_000
    socket.resume()
    await eventually('the kernel took more', () => (socket.isPaused() ? true : undefined))
  }
  await pass(STALLED_AFTER_MS + 1)
  assert.equal(stalled(), 1)
})

test('a response that takes long to make is not a stalled client', async (t) => {
  const { port, stalled, pass } = await openClockedListener(t, () => new Promise(() => {}))
  const { ended } = await openUnread(t, port, get('/').repeat(1000))
  await pass(10 * STALLED_AFTER_MS)
  assert.deepEqual([stalled(), ended()], [0, undefined])
})

test('requests that are parsed and not handled count against the memory of all connections', async (t) => {
  const server = createListener(() => new Promise(() => {}), {
    noIndex: false,
    log: QUIET_LOG,
    maxHeldBytes: 1_000_000,
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  // A packet of 16 KiB, whose 430 requests take 730 kB as objects of Node.
  const flood = get('/').repeat(430)
  const first = await openUnread(t, port, flood)
  const second = await openUnread(t, port, flood)
  first.socket.resume()
  second.socket.resume()
  await eventually('one connection is reset', () => first.ended() ?? second.ended())
  const { open, stalled } = server.tracked.counts()
  assert.deepEqual([open, stalled], [1, 1])
})

test('a connection whose end is being sent is closed when the memory is used up', async (t) => {
  const body = 'done'
  const server = createListener(
    () => ({ status: 200, headers: ['Content-Length', `${body.length}`], body }),
    { noIndex: false, log: QUIET_LOG, maxHeldBytes: 80_000 },
  )
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  const first = await openUnread(t, port, '')
  const second = await openUnread(t, port, '')
  await eventually('both are open', () => server.tracked.counts().open === 2 || undefined)
  // Both packets are read in one turn: the second exceeds the memory before the end of the first is sent.
  first.socket.write(get('/').repeat(30))
  second.socket.write(get('/').repeat(25))
  await eventually('one is closed', () => server.tracked.counts().stalled || undefined)
  // The peer of a closed connection sees a reset once it writes.
  await eventually('the first ended', () => {
    if (first.socket.writable) first.socket.write('x')
    return first.ended()
  })
})
