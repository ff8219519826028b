import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createListener, listen, stopListening } from '../../../src/http/connection/listener.ts'
import { holdConnection } from '../../support/held-connection.ts'
import { converse } from '../../support/raw-connection.ts'
import { runApp } from '../../support/running-app.ts'
import {
  get,
  GET_STATUS,
  openListener,
  QUIET_LOG,
  waitingApp,
} from '../../support/test-listener.ts'

test('a client that disconnects at any point does not affect the service', async (t) => {
  const app = await runApp(t)
  for (const bytes of [
    'GET /api',
    GET_STATUS,
    'POST /api/v1/keys HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{',
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  ]) {
    await new Promise<void>((resolve) => {
      const socket = connect(app.port, '127.0.0.1', () => {
        socket.write(bytes, () => socket.resetAndDestroy())
      })
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
  }
  assert.equal((await app.fetch('/api/v1/status')).status, 200)
  assert.deepEqual(app.log, [])
})

test('a client that keeps its half open after a refusal does not delay the stop', async () => {
  for (const bytes of [
    'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'good morning\r\n\r\n',
    `${GET_STATUS}\r\n`,
  ]) {
    const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
      noIndex: false,
      log: QUIET_LOG,
    })
    const port = await listen(server, 0, '127.0.0.1')
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    await new Promise<void>((resolve) => {
      socket.on('end', resolve)
      socket.resume()
      socket.write(bytes)
    })
    const stopped = stopListening(server, 60_000).then(() => 'stopped')
    const late = new Promise((resolve) => {
      setTimeout(resolve, 30_000, 'still waiting').unref()
    })
    assert.equal(await Promise.race([stopped, late]), 'stopped')
    socket.destroy()
  }
})

test('while it stops, responses in flight have Connection: close', async () => {
  let response: () => void = () => {}
  const waiting = new Promise<void>((resolve) => {
    response = resolve
  })
  const server = createListener(
    async () => {
      await waiting
      return { status: 200, headers: ['Content-Length', '4'], body: 'done' }
    },
    { noIndex: false, log: QUIET_LOG },
  )
  const port = await listen(server, 0, '127.0.0.1')
  const reached = new Promise((resolve) => {
    server.once('request', resolve)
  })
  const conversation = converse(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await reached
  const stopped = stopListening(server, 5000)
  response()
  const { responses, closed } = await conversation
  await stopped
  assert.ok(closed)
  assert.deepEqual([responses[0]?.body, responses[0]?.headers.get('connection')], ['done', 'close'])
})

/** Requests behind whose response a connection ends, with the status of that response. */
const ENDING: { readonly [what: string]: readonly [status: number, bytes: string] } = {
  'a refusal for its Host': [400, 'GET /first HTTP/1.1\r\n\r\n'],
  'a refusal for its expectation': [417, 'GET /first HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n'],
  'a refusal for its target': [400, 'GET ftp://a HTTP/1.1\r\nHost: a\r\n\r\n'],
  'an offer to upgrade': [
    200,
    'GET /first HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  ],
  'a wish to close': [200, 'GET /first HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  'HTTP/1.0': [200, 'GET /first HTTP/1.0\r\n\r\n'],
  'a request that comes too early': [200, get('/first') + get('/second')],
  'a body that comes too early': [
    200,
    `${get('/first')}POST /second HTTP/1.1\r\nHost: a\r\nContent-Length: 34\r\n\r\nDELETE /body HTTP/1.1\r\nHost: a\r\n\r\n`,
  ],
  'a malformed request that comes too early': [200, `${get('/first')}good morning\r\n\r\n`],
  'headers past what is read': [200, `${get('/first')}GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}`],
}

for (const [what, [status, bytes]] of Object.entries(ENDING)) {
  test(`${what} ends the connection, and later requests are not handled`, async (t) => {
    const next = 'DELETE /next HTTP/1.1\r\nHost: a\r\n\r\n'
    for (const isApart of [false, true]) {
      const asked: string[] = []
      const { promise: answerable, resolve: response } = Promise.withResolvers<void>()
      const { port, server } = await openListener(t, async ({ target }) => {
        asked.push(target)
        await answerable
        return { status: 200, headers: ['Content-Length', '0'], body: undefined }
      })
      const held = await holdConnection(t, port)
      const reached = once(server, status === 417 ? 'checkExpectation' : 'request')
      held.send(isApart ? bytes : bytes + next)
      await reached
      if (isApart) held.send(next)
      setTimeout(response, 50)
      const responses = (await held.closed).split(/(?=HTTP\/1\.1 )/)
      assert.equal(responses.length, 1)
      assert.match(
        responses[0] ?? '',
        new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n`),
      )
      assert.deepEqual(asked, status === 200 ? ['/first'] : [])
    }
  })
}

test('a client that half-closes after its request gets a slow response', async (t) => {
  const { app, came, release } = waitingApp()
  const { port } = await openListener(t, app)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  const ended = once(socket, 'end')
  socket.end('POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}')
  await came('/first')
  release('/first')
  await ended
  assert.match(received, /^HTTP\/1\.1 200 OK[^]*\/first$/)
})

test('closes the connection of a client that sent nothing and closed its side', async (t) => {
  const { port } = await openListener(t, waitingApp().app)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.resume()
  const ended = once(socket, 'end')
  socket.end()
  await ended
})

test('while it stops, a request on an idle connection gets a response with Connection: close', async (t) => {
  const { app, releaseInTurn } = waitingApp()
  const server = createListener(app, { noIndex: false, log: QUIET_LOG })
  const port = await listen(server, 0, '127.0.0.1')
  const held = await holdConnection(t, port)
  held.send(get('/first'))
  await releaseInTurn('/first')
  await held.until((received) => received.endsWith('/first'))
  const stopped = stopListening(server, 5000)
  await sleep(100)
  held.send(get('/second'))
  await releaseInTurn('/second')
  const received = await held.closed
  await stopped
  assert.match(received, /\/firstHTTP\/1\.1 200 [^]*\r\nConnection: close\r\n[^]*\/second$/)
})
