import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { App } from '../../../src/http/api-request.ts'
import {
  connectionCountsOf,
  createListener,
  listen,
  stopListening,
} from '../../../src/http/connection/listener.ts'
import { eventually } from '../../support/eventually.ts'
import { holdConnection } from '../../support/held-connection.ts'
import { get, openListener, QUIET_LOG } from '../../support/test-listener.ts'

const BIG = 'x'.repeat(1_000_000)
const STALLED_AFTER_MS = 600

/** An app with responses of 1 MB that counts them. */
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
  const sockets: Socket[] = []
  server.on('connection', (socket) => {
    if (!sockets.includes(socket)) sockets.push(socket)
  })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  const settle = (ms = 200) =>
    new Promise((resolve) => {
      setTimeout(resolve, ms)
    })
  return {
    port,
    stalled: () => connectionCountsOf(server).stalled,
    sockets,
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
    await new Promise((resolve) => {
      setTimeout(resolve, 200)
    })
    const now = count()
    if (now === last) return now
    last = now
    return undefined
  })
}

/** Requests of three kinds, each for its own target, and the bodies of their responses. */
function mixedRequests(count: number) {
  const bytes = Array.from({ length: count }, (_, index) =>
    index % 3 === 0
      ? `POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody`
      : index % 3 === 1
        ? `POST /${index} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nparts\r\n0\r\n\r\n`
        : get(`/${index}`),
  )
  const bodies = bytes.map((_, index) => `/${index} ${['body', 'parts', 'none'][index % 3]};`)
  return { bytes: bytes.join(''), bodies }
}

const echoing: App = async ({ target, method, readBody }) => {
  const body = method === 'POST' ? Buffer.from(await readBody(100)).toString() : 'none'
  const text = `${target} ${body};`
  return { status: 200, headers: ['Content-Length', `${text.length}`], body: text }
}

const immediate: App = ({ target }) => ({
  status: 200,
  headers: ['Content-Length', `${target.length + 1}`],
  body: `${target};`,
})

/** Requests without a body, which one packet has thousands of. */
function plainRequests(count: number) {
  const targets = Array.from({ length: count }, (_, index) => `/${index}`)
  return { bytes: targets.map(get).join(''), bodies: targets.map((target) => `${target};`) }
}

for (const [what, ends] of [
  ['that stays open', false],
  ['that is half closed behind them', true],
] as const) {
  test(`thousands of requests on a connection ${what}: responses in order, all or until one says Connection: close`, async (t) => {
    for (const [app, { bytes, bodies }] of [
      [echoing, mixedRequests(5000)],
      [immediate, plainRequests(5000)],
    ] as const) {
      const { port } = await openListener(t, app)
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      t.after(() => socket.destroy())
      let received = ''
      const ended = new Promise<void>((resolve) => {
        socket.setEncoding('latin1').on('data', (text: string) => {
          received += text
          if (received.endsWith(bodies.at(-1) ?? '')) resolve()
        })
        socket.once('end', resolve)
      })
      if (ends) socket.end(bytes)
      else socket.write(bytes)
      await ended
      const responses = received.split(/(?=HTTP\/1\.1 )/)
      assert.ok(responses.length > 32, `${responses.length} responses`)
      assert.deepEqual(
        responses.map((response) => response.slice(response.indexOf('\r\n\r\n') + 4)),
        bodies.slice(0, responses.length),
      )
      const announced = responses.findIndex((each) => each.includes('\r\nConnection: close\r\n'))
      if (responses.length < bodies.length) assert.equal(announced, responses.length - 1)
    }
  })
}

test('a client that sends thousands of requests, each with few unanswered, gets all responses', async (t) => {
  const { port } = await openListener(t, echoing)
  const held = await holdConnection(t, port)
  const { bodies } = mixedRequests(1500)
  for (let at = 0; at < bodies.length; at += 30) {
    const { bytes } = mixedRequests(30)
    held.send(bytes)
    await held.until((received) => received.split(';').length - 1 === at + 30)
  }
  assert.doesNotMatch(held.received(), /Connection: close/)
})

test('a client that reads late gets every response, also after a stall', async (t) => {
  const { app, count } = countingApp()
  const { port } = await openListener(t, app)
  const { socket } = await openUnread(t, port, get('/').repeat(30))
  await settled(count)
  let bytes = 0
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  socket.resume()
  await eventually('everything came', () => (bytes > 30 * BIG.length ? true : undefined))
  assert.equal(count(), 30)
})

test('makes responses only while the client reads', async (t) => {
  const { app, count } = countingApp()
  const { port } = await openListener(t, app)
  const { socket } = await openUnread(t, port, get('/').repeat(2000))
  const made = await settled(count)
  assert.ok(made < 20, `made ${made} responses of 1 MB, more than socket buffers take`)
  const other = await holdConnection(t, port)
  other.send(get('/other'))
  await other.until((received) => received.length > BIG.length)
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
  const { port, stalled, pass, sockets } = await openClockedListener(t, app)
  const { socket } = await openUnread(t, port, get('/').repeat(1000))
  await settled(count)
  const taken = () => sockets[0]?.bytesWritten ?? 0
  let goal = 0
  socket.on('data', () => {
    if (taken() >= goal) socket.pause()
  })
  for (let round = 0; round < 3; round += 1) {
    await pass(STALLED_AFTER_MS * 0.9)
    assert.equal(stalled(), 0, `round ${round}`)
    goal = taken() + 2 * BIG.length
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

/** What comes after twenty requests, with the statuses of its responses. */
const BEHIND: { readonly [what: string]: readonly [bytes: string, statuses: string] } = {
  'a CONNECT': ['CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', '400'],
  'a malformed request': [`good morning\r\n\r\n${get('/never')}`, '400'],
  'a request without Host': [`GET / HTTP/1.1\r\n\r\n${get('/never')}`, '400'],
  'an offer to upgrade': [
    `GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n${get('/never')}`,
    '200',
  ],
  'an unknown expectation': [
    `GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n${get('/never')}`,
    '417',
  ],
  'headers above the limit': [
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
    '431',
  ],
  'headers just below the limit': [
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(15_000)}\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    '200 200',
  ],
  'a body that is announced': [
    `POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\nbodyGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    '100 200 200',
  ],
}

for (const [what, [bytes, statuses]] of Object.entries(BEHIND)) {
  test(`${what} after twenty requests is handled as if alone`, async (t) => {
    const { port } = await openListener(t, () => ({
      status: 200,
      headers: ['Content-Length', '0'],
      body: undefined,
    }))
    const held = await holdConnection(t, port)
    held.send(get('/').repeat(20) + bytes)
    const received = await held.closed
    assert.equal(
      [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status).join(' '),
      `${'200 '.repeat(20)}${statuses}`,
    )
  })
}
