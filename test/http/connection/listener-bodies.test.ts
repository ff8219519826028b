import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../../support/eventually.ts'
import { holdConnection } from '../../support/held-connection.ts'
import { converse } from '../../support/raw-connection.ts'
import { rawRequest } from '../../support/raw-http.ts'
import { runApp } from '../../support/running-app.ts'
import { get, GET_STATUS, openListener, waitingApp } from '../../support/test-listener.ts'

test('discards a short unneeded body and handles the next request', async (t) => {
  const app = await runApp(t)
  const next = rawRequest('GET', '/api/v1/time')
  for (const request of [
    `${GET_STATUS}Host: a\r\nContent-Length: 5\r\n\r\nhello`,
    `${GET_STATUS}Host: a\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`,
    'POST /api/v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    'OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
  ]) {
    const { responses } = await converse(app.port, request + next)
    assert.equal(responses.length, 2, request.slice(0, 80))
    assert.equal(responses[1]?.status, 200)
    assert.match(responses[1].body, /SERVER_UTC/)
  }
})

test('responds to an endless body and closes the connection', async (t) => {
  const app = await runApp(t)
  for (const framing of [
    'Content-Length: 50000000\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\nffffff\r\n',
  ]) {
    const bytes = `POST /api/v1/status HTTP/1.1\r\nHost: a\r\n${framing}${'x'.repeat(1_000_000)}`
    const { responses, closed } = await converse(app.port, bytes)
    assert.ok(closed, 'expected the server to end the connection')
    assert.deepEqual(
      responses.map(({ status }) => status),
      [405],
    )
  }
  assert.equal((await app.fetch('/api/v1/status')).status, 200)
})

/** Requests whose body the server does not read to its end, with the status of the response. */
const UNREAD: { readonly [what: string]: readonly [status: number, bytes: string] } = {
  'a declared body above the limit': [
    413,
    `POST /api/v1/early-access/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
  ],
  'a chunked body above the limit': [
    413,
    `POST /api/v1/early-access/register HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`1000\r\n${'x'.repeat(4096)}\r\n`.repeat(40)}0\r\n\r\n`,
  ],
  'a long body of another media type': [
    415,
    `POST /api/v1/early-access/register HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
  ],
  'a long body of a read': [
    200,
    `${GET_STATUS}Host: a\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
  ],
  'a chunked body of a read': [
    200,
    `${GET_STATUS}Host: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  ],
  'OPTIONS * with a long body': [
    204,
    `OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`,
  ],
}

for (const [what, [status, bytes]] of Object.entries(UNREAD)) {
  test(`${what}: the response has Connection: close, and later requests are not handled`, async (t) => {
    const app = await runApp(t)
    const { responses, closed } = await converse(app.port, bytes + get('/api/v1/time'))
    assert.ok(closed)
    assert.deepEqual(
      responses.map((response) => [response.status, response.headers.get('connection')]),
      [[status, 'close']],
    )
  })
}

test('an incomplete body after its response closes the connection without a second response', async (t) => {
  const app = await runApp(t)
  const bytes = `${GET_STATUS}Host: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n`
  const { responses, closed } = await converse(app.port, bytes)
  assert.ok(closed)
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200],
  )
})

test('100 Continue precedes the final response', async (t) => {
  const app = await runApp(t)
  const headers = ['Host: a', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close']
  const bytes = `POST /api/v1/status HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{}`
  const { responses } = await converse(app.port, bytes)
  assert.deepEqual(
    responses.map(({ status }) => status),
    [100, 405],
  )
})

test('a body of any length does not cut a pending response and is not read to its end', async (t) => {
  const { app, came, release } = waitingApp()
  const { server, port } = await openListener(t, app)
  const taken = once(server, 'connection')
  const length = 64_000_000
  const socket = connect(port, '127.0.0.1')
  t.after(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  socket.on('error', () => {})
  socket.write(`POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`)
  socket.write(Buffer.alloc(length))
  await came('/slow')
  const [served] = (await taken) as [Socket]
  await sleep(100)
  assert.ok(served.bytesRead > 65_536, 'the start of the body was read')
  assert.ok(served.bytesRead < 1_000_000, `and no more than a buffer full (${served.bytesRead})`)
  assert.equal(socket.destroyed, false)
  release('/slow')
  await eventually('the response came', () => (received.endsWith('/slow') ? true : undefined))
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
})

test('a client that sends 100 kB before it reads gets its response, early or late', async (t) => {
  const { app, came, release } = waitingApp()
  const late = await openListener(t, app)
  const early = await openListener(t, () => ({
    status: 200,
    headers: ['Content-Length', '5'],
    body: '/slow',
  }))
  for (const { port } of [late, early]) {
    const length = 400_000
    const conversation = converse(
      port,
      `POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
    )
    if (port === late.port) {
      await came('/slow')
      setTimeout(() => release('/slow'), 50)
    }
    const { responses, closed } = await conversation
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200],
    )
    assert.ok(closed)
  }
})

/** A connection whose client sends and does not read, with the server's end of it; every response is an empty 200. */
async function openUnread(t: TestContext) {
  const { port, server } = await openListener(t, () => ({
    status: 200,
    headers: ['Content-Length', '0'],
    body: undefined,
  }))
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const held = await holdConnection(t, port, { allowHalfOpen: true })
  const [socket] = await accepted
  held.pause()
  return { held, socket }
}

/** Requests that are answered before their body has come, and close the connection. */
const CLOSING: { readonly [what: string]: readonly [status: number, lines: string] } = {
  'Connection: close': [200, 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close'],
  'HTTP/1.0': [200, 'POST / HTTP/1.0'],
  'an offer to upgrade': [200, 'POST / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c'],
  'no Host': [400, 'POST / HTTP/1.1'],
  'an unsupported expectation': [417, 'POST / HTTP/1.1\r\nHost: a\r\nExpect: tea'],
}

for (const [what, [status, lines]] of Object.entries(CLOSING)) {
  test(`${what}: a client that sends its body before it reads gets an early response`, async (t) => {
    const { held, socket } = await openUnread(t)
    held.send(`${lines}\r\nContent-Length: 60000\r\n\r\n`)
    await eventually('the response is sent', () => (socket.writableFinished ? true : undefined))
    for (let sent = 0; sent < 60_000; sent += 10_000) {
      held.send('x'.repeat(10_000))
      await sleep(20)
    }
    held.resume()
    const response = await held.until((received) => received.endsWith('\r\n\r\n'))
    assert.match(response, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\nConnection: close\r\n`))
  })
}

test('input after the last response does not reset it', async (t) => {
  const { held, socket } = await openUnread(t)
  held.send(get('/first') + get('/second') + get('/third'))
  await eventually('the responses are sent', () => (socket.writableFinished ? true : undefined))
  for (let sent = 0; sent < 5; sent += 1) {
    held.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n${'x'.repeat(9000)}`)
    await sleep(20)
  }
  held.resume()
  const received = await held.until((text) => text.includes('Connection: close'))
  assert.equal(received.split('HTTP/1.1 200').length - 1, 2)
})
