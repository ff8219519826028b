import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test, type TestContext } from 'node:test'
import type { App } from '../../src/http/api-request.ts'
import { createListener, listen, originFormOf, stopListening } from '../../src/http/listener.ts'
import { holdConnection } from '../support/held-connection.ts'
import { converse } from '../support/raw-connection.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { runApp } from '../support/running-app.ts'
import { eventually } from '../support/service-process.ts'
import { answerOf, assertSigned, publishedKey } from '../support/signed-answer.ts'

const QUIET = { debug() {}, info() {}, warn() {}, error() {} }
const LINE = 'GET /api/v1/status HTTP/1.1\r\n'

/** What is no HTTP, or not HTTP enough to be signed, and the status it is refused with (contract decisions 3.16). */
const REFUSED: { readonly [what: string]: readonly [status: number, bytes: string] } = {
  'words that are no request': [400, 'good morning\r\n\r\n'],
  'an HTTP/0.9 request': [400, 'GET /api/v1/status\r\n\r\n'],
  'a TLS greeting': [400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  'the HTTP/2 preface': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'an unknown protocol version': [400, 'GET /api/v1/status HTTP/1.2\r\nHost: a\r\n\r\n'],
  'an unknown method': [400, 'BREW /api/v1/status HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a method in lower case': [400, 'get /api/v1/status HTTP/1.1\r\nHost: a\r\n\r\n'],
  'line feeds alone': [400, 'GET /api/v1/status HTTP/1.1\nHost: a\n\n'],
  'a space in the target': [400, 'GET /api/v1/a b HTTP/1.1\r\nHost: a\r\n\r\n'],
  'bytes above ASCII in the target': [400, 'GET /api/v1/\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a space before a colon': [400, `${LINE}Host : a\r\n\r\n`],
  'a folded header': [400, `${LINE}Host: a\r\nX-Note: one\r\n two\r\n\r\n`],
  'a NUL in a header': [400, `${LINE}Host: a\r\nX-Note: \0\r\n\r\n`],
  'no Host': [400, `${LINE}\r\n`],
  'two Hosts': [400, `${LINE}Host: a\r\nHost: b\r\n\r\n`],
  'the same Host twice': [400, `${LINE}Host: a\r\nhost: a\r\n\r\n`],
  'an empty Host': [400, `${LINE}Host:\r\n\r\n`],
  'a Host with a path': [400, `${LINE}Host: a/b\r\n\r\n`],
  'a Host with a user': [400, `${LINE}Host: me@a\r\n\r\n`],
  'a Host with a space': [400, `${LINE}Host: a b\r\n\r\n`],
  'a Host with a port that is none': [400, `${LINE}Host: a:http\r\n\r\n`],
  'a Host that is a list': [400, `${LINE}Host: a, b c\r\n\r\n`],
  'two Hosts over HTTP/1.0': [400, 'GET /api/v1 HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n'],
  'a length beside a coding': [
    400,
    `${LINE}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  'a coding beside a length': [
    400,
    `${LINE}Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  ],
  'a coding after chunked': [
    400,
    `${LINE}Host: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  ],
  'a coding that is not undone, under chunked': [
    501,
    `${LINE}Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  ],
  'a coding without chunked': [400, `${LINE}Host: a\r\nTransfer-Encoding: gzip\r\n\r\n`],
  'two lengths': [400, `${LINE}Host: a\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n`],
  'a length below nought': [400, `${LINE}Host: a\r\nContent-Length: -1\r\n\r\n`],
  'an unknown expectation': [417, `${LINE}Host: a\r\nExpect: cake\r\n\r\n`],
  'headers past what is read': [431, `${LINE}Host: a\r\nX-Note: ${'x'.repeat(20_000)}\r\n\r\n`],
  'a target past what is read': [431, `GET /${'x'.repeat(400_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  'a tunnel': [400, 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
  'an asterisk with a method other than OPTIONS': [400, 'GET * HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a target that is an authority': [400, 'GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  'an address without a host': [400, 'GET http:///api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'],
}

for (const [what, [status, bytes]] of Object.entries(REFUSED)) {
  test(`${what}: ${status} with an empty body, and the connection ends`, async (t) => {
    for (const deployment of ['primary', 'preview'] as const) {
      const app = await runApp(t, { deployment })
      const { answers, closed } = await converse(app.port, bytes)
      assert.ok(closed, 'expected the server to close the connection')
      assert.equal(answers.length, 1)
      const [answer] = answers
      assert.equal(answer?.status, status)
      assert.equal(answer.body, '')
      const headers = Object.fromEntries(answer.headers)
      assert.ok(Math.abs(Date.parse(headers['date'] ?? '') - Date.now()) < 60_000)
      delete headers['date']
      assert.deepEqual(headers, {
        'cache-control': 'no-store',
        connection: 'close',
        'content-length': '0',
        ...(deployment === 'preview' ? { 'x-robots-tag': 'noindex, nofollow' } : {}),
      })
      assert.deepEqual(app.log, [])
    }
  })
}

/** Feeds a listener the error that Node gives for a connection, and reads what is written to it. */
async function answerToClientError(code: string): Promise<string> {
  const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET,
  })
  let written = ''
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written += chunk.toString()
      done()
    },
  })
  server.emit('clientError', Object.assign(new Error('in a test'), { code }), socket)
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  socket.destroy()
  return written
}

test('a request that takes too long to arrive: 408; one whose client is gone: nothing', async () => {
  assert.match(
    await answerToClientError('ERR_HTTP_REQUEST_TIMEOUT'),
    /^HTTP\/1\.1 408 Request Timeout\r\n(?:[^\r]+\r\n)*Cache-Control: no-store\r\n/,
  )
  assert.equal(await answerToClientError('ECONNRESET'), '')
})

test('OPTIONS * is 204 without CORS headers', async (t) => {
  for (const deployment of ['primary', 'preview'] as const) {
    const app = await runApp(t, { deployment })
    const answer = await sendRaw(app.port, rawRequest('OPTIONS', '*'))
    assert.deepEqual([answer.status, answer.body], [204, ''])
    const names = answer.headerNames.map((name) => name.toLowerCase()).toSorted()
    assert.deepEqual(
      names,
      deployment === 'preview' ? ['connection', 'date', 'x-robots-tag'] : ['connection', 'date'],
    )
  }
})

test('hosts that are well formed are taken', async (t) => {
  const app = await runApp(t)
  for (const host of ['a', 'a.example:8080', '127.0.0.1:1', '[::1]:8080', 'a:', 'xn--a', 'a%20b']) {
    const answer = await sendRaw(app.port, rawRequest('GET', '/api/v1', [`Host: ${host}`]))
    assert.equal(answer.status, 200, host)
  }
})

test('a target with scheme and host: what stands behind the host is served, and is what the signature names', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const [sent, signed, status] of [
    ['http://elsewhere.example/api/v1/status?a=//b', '/api/v1/status?a=//b', 200],
    ['https://elsewhere.example:8443/api/v1/time', '/api/v1/time', 200],
    ['HTTP://elsewhere.example/api/v1/../v1/status', '/api/v1/../v1/status', 404],
  ] as const) {
    const answer = answerOf('GET', signed, await sendRaw(app.port, rawRequest('GET', sent)))
    assert.equal(answer.status, status, sent)
    assertSigned(answer, key)
  }
})

test('the origin form of a target', () => {
  assert.equal(originFormOf('/api/v1?x'), '/api/v1?x')
  assert.equal(originFormOf('//a/b'), '//a/b')
  assert.equal(originFormOf('http://a'), '/')
  assert.equal(originFormOf('http://a?x=/y'), '/?x=/y')
  assert.equal(originFormOf('https://[::1]:1/x'), '/x')
  for (const target of [
    '*',
    'a:80',
    'api/v1',
    '',
    'ftp://a/api/v1',
    'http://',
    'http:/a',
    'http:///a',
  ])
    assert.equal(originFormOf(target), undefined, target)
})

test('HTTP/1.0 is served, without a Host too, and the connection ends', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const host of ['', 'Host: a\r\n']) {
    const { answers, closed } = await converse(app.port, `GET /api/v1 HTTP/1.0\r\n${host}\r\n`)
    assert.ok(closed)
    const [raw] = answers
    assert.ok(raw)
    assert.equal(raw.status, 200)
    assert.equal(raw.headers.get('connection'), 'close')
    assertSigned(answerOf('GET', '/api/v1', raw), key)
  }
})

test('an offer to upgrade is passed over', async (t) => {
  const app = await runApp(t)
  const headers = ['Host: a', 'Upgrade: websocket, h2c', 'Connection: Upgrade']
  const answer = await sendRaw(app.port, rawRequest('GET', '/api/v1/status', headers))
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('upgrade'), undefined)
})

test('pipelined requests are answered in order, each signed for its own target', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  const targets = ['/api/v1/status', '/api/v1/nothing', '/api/v1/time?2', '/', '/api/v1/policy']
  const requests = targets.map((target, index) => {
    const last = index === targets.length - 1
    return `GET ${target} HTTP/1.1\r\nHost: a\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
  })
  const { answers } = await converse(app.port, requests.join(''))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 200, 404, 200],
  )
  answers.forEach((raw, index) => {
    const target = targets[index] ?? ''
    if (target.startsWith('/api')) assertSigned(answerOf('GET', target, raw), key)
  })
  assert.equal(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size, 5)
})

test('a request behind a good one that is no HTTP is refused after the good answer', async (t) => {
  const app = await runApp(t)
  const { answers, closed } = await converse(app.port, `${LINE}Host: a\r\n\r\ngood morning\r\n\r\n`)
  assert.ok(closed)
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body === '']),
    [
      [200, false],
      [400, true],
    ],
  )
})

test('a body that nobody asked for is passed over, and the next request is answered', async (t) => {
  const app = await runApp(t)
  const next = rawRequest('GET', '/api/v1/time')
  for (const request of [
    `${LINE}Host: a\r\nContent-Length: 5\r\n\r\nhello`,
    `${LINE}Host: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    `${LINE}Host: a\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`,
    'POST /api/v1/nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
    'OPTIONS * HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}',
  ]) {
    const { answers } = await converse(app.port, request + next)
    assert.equal(answers.length, 2, request.slice(0, 80))
    assert.equal(answers[1]?.status, 200)
    assert.match(answers[1].body, /SERVER_UTC/)
  }
})

test('a body without end is answered, then cut', async (t) => {
  const app = await runApp(t)
  for (const framing of [
    'Content-Length: 50000000\r\n\r\n',
    'Transfer-Encoding: chunked\r\n\r\nffffff\r\n',
  ]) {
    const bytes = `POST /api/v1/status HTTP/1.1\r\nHost: a\r\n${framing}${'x'.repeat(1_000_000)}`
    const { answers, closed } = await converse(app.port, bytes)
    assert.ok(closed, 'expected the server to end the connection')
    assert.deepEqual(
      answers.map(({ status }) => status),
      [405],
    )
  }
  assert.equal((await app.fetch('/api/v1/status')).status, 200)
})

test('a body that breaks off behind its answer ends the connection without a second answer', async (t) => {
  const app = await runApp(t)
  const bytes = `${LINE}Host: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n`
  const { answers, closed } = await converse(app.port, bytes)
  assert.ok(closed)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
})

test('Expect: 100-continue is answered before the answer', async (t) => {
  const app = await runApp(t)
  const headers = ['Host: a', 'Expect: 100-continue', 'Content-Length: 2', 'Connection: close']
  const bytes = `POST /api/v1/status HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n{}`
  const { answers } = await converse(app.port, bytes)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [100, 405],
  )
})

test('a client that goes away in the middle of anything leaves the service as it was', async (t) => {
  const app = await runApp(t)
  for (const bytes of [
    'GET /api',
    LINE,
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

test('a client that keeps its half open after a refusal does not hold the listener', async () => {
  for (const bytes of [
    'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    'good morning\r\n\r\n',
    `${LINE}\r\n`,
  ]) {
    const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
      noIndex: false,
      log: QUIET,
    })
    const port = await listen(server, 0, '127.0.0.1')
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    await new Promise<void>((resolve) => {
      socket.on('end', resolve)
      socket.resume()
      socket.write(bytes)
    })
    const stopped = stopListening(server, 5000).then(() => 'stopped')
    const late = new Promise((resolve) => {
      setTimeout(resolve, 4000, 'still waiting').unref()
    })
    assert.equal(await Promise.race([stopped, late]), 'stopped')
    socket.destroy()
  }
})

test('a port that is taken is told in words', async (t) => {
  const app = await runApp(t)
  const second = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET,
  })
  await assert.rejects(
    listen(second, app.port, '127.0.0.1'),
    new RegExp(`Cannot listen on 127\\.0\\.0\\.1 port ${app.port}: another program listens there`),
  )
})

test('while it stops, what is in flight is answered with Connection: close', async () => {
  let answer: () => void = () => {}
  const waiting = new Promise<void>((resolve) => {
    answer = resolve
  })
  const server = createListener(
    async () => {
      await waiting
      return { status: 200, headers: ['Content-Length', '4'], body: 'done' }
    },
    { noIndex: false, log: QUIET },
  )
  const port = await listen(server, 0, '127.0.0.1')
  const reached = new Promise((resolve) => {
    server.once('request', resolve)
  })
  const conversation = converse(port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await reached
  const stopped = stopListening(server, 5000)
  answer()
  const { answers, closed } = await conversation
  await stopped
  assert.ok(closed)
  assert.deepEqual([answers[0]?.body, answers[0]?.headers.get('connection')], ['done', 'close'])
})

/** An app whose answers, its target each, come when the test releases them. */
function waitingApp() {
  const waiting = new Map<string, () => void>()
  const app: App = ({ target }) =>
    new Promise((resolve) => {
      waiting.set(target, () => {
        resolve({ status: 200, headers: ['Content-Length', `${target.length}`], body: target })
      })
    })
  return {
    app,
    came: (target: string) =>
      eventually(`${target} came`, () => (waiting.has(target) ? true : undefined)),
    release: (target: string) => waiting.get(target)?.(),
  }
}

/** A listener of the test's own, with what it logged. */
async function openListener(t: TestContext, app: App) {
  const errors: string[] = []
  const log = { ...QUIET, error: (_fields: object, message: string) => void errors.push(message) }
  const server = createListener(app, { noIndex: false, log })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  return { server, port, errors }
}

function get(target: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`
}

for (const [what, bytes, status] of [
  ['words that are no request', 'good morning\r\n\r\n', 400],
  ['a CONNECT', 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n', 400],
  ['a header line of many kilobytes', `${LINE}X: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  [
    'a body stated in two ways',
    `${LINE}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  ['an expectation nobody can meet', `${LINE}Host: a\r\nExpect: tea\r\n\r\n`, 417],
] as const) {
  test(`${what} behind requests whose answers are still made is refused behind those answers`, async (t) => {
    const { app, came, release } = waitingApp()
    const { port } = await openListener(t, app)
    const held = await holdConnection(t, port)
    held.send(get('/first') + get('/second') + bytes)
    await came('/second')
    // More of what is no request, which is one more error to the parser.
    held.send('and more\r\n\r\n')
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
    assert.equal(held.received(), '', 'nothing overtakes the first answer')
    release('/second')
    release('/first')
    const answers = (await held.closed).split(/(?=HTTP\/1\.1 )/)
    assert.equal(answers.length, 3, answers.join('\n'))
    assert.match(answers[0] ?? '', /^HTTP\/1\.1 200 [^]*\/first$/)
    assert.match(answers[1] ?? '', /^HTTP\/1\.1 200 [^]*\/second$/)
    assert.match(answers[2] ?? '', new RegExp(`^HTTP/1\\.1 ${status} [^]*no-store[^]*\r\n\r\n$`))
  })
}

test('a body that breaks off before the answer is made is that request’s refusal, and its answer is dropped', async (t) => {
  const { app, came, release } = waitingApp()
  const { port, errors } = await openListener(t, app)
  const held = await holdConnection(t, port)
  const broken = 'GET /second HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n'
  held.send(get('/first') + broken)
  await came('/second')
  release('/second')
  release('/first')
  const answers = (await held.closed).split(/(?=HTTP\/1\.1 )/)
  assert.deepEqual(
    answers.map((answer) => answer.slice(9, 12)),
    ['200', '400'],
  )
  assert.deepEqual(errors, [])
})

test('a body of any length does not cut the answer that is still made, and is not read to its end', async (t) => {
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
  await new Promise((resolve) => {
    setTimeout(resolve, 100)
  })
  assert.ok(served.bytesRead > 65_536, 'the start of the body was read')
  assert.ok(served.bytesRead < 1_000_000, `and no more than a buffer full (${served.bytesRead})`)
  assert.equal(socket.destroyed, false)
  release('/slow')
  await eventually('the answer came', () => (received.endsWith('/slow') ? true : undefined))
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/)
})

test('a client that sends some hundred kilobytes before it reads gets its answer, at once or late', async (t) => {
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
    const { answers, closed } = await conversation
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200],
    )
    assert.ok(closed)
  }
})

test('an app that throws, rejects or gives what cannot be written is logged and its connection cut, no other', async (t) => {
  const failure = new Error('a defect')
  const { port, errors } = await openListener(t, ({ target }) => {
    if (target === '/throws') throw failure
    if (target === '/rejects') return Promise.reject(failure)
    const headers = target === '/good' ? [] : ['Not a name', 'x']
    const reply = { status: 200, headers, body: 'good' }
    return target === '/writes-late' ? Promise.resolve(reply) : reply
  })
  for (const target of ['/throws', '/rejects', '/writes', '/writes-late']) {
    const { answers, closed } = await converse(port, get(target))
    assert.deepEqual([answers, closed], [[], true], target)
    assert.equal(errors.splice(0).length, 1, target)
    const { status } = await sendRaw(port, rawRequest('GET', '/good'))
    assert.equal(status, 200)
  }
})

test('a failure of the app lets the answers before it out', async (t) => {
  const { app, came, release } = waitingApp()
  const { port, errors } = await openListener(t, (request) => {
    if (request.target === '/fails') throw new Error('a defect')
    return app(request)
  })
  const held = await holdConnection(t, port)
  held.send(get('/first') + get('/fails'))
  await came('/first')
  release('/first')
  assert.match(await held.closed, /^HTTP\/1\.1 200 [^]*\/first$/)
  assert.equal(errors.length, 1)
})

test('an error of the listening socket is logged, each time, and the service goes on', async (t) => {
  const { server, port, errors } = await openListener(t, () => ({
    status: 204,
    headers: [],
    body: undefined,
  }))
  server.emit('error', new Error('accept EMFILE'))
  server.emit('error', new Error('accept EMFILE'))
  assert.equal(errors.length, 2)
  assert.equal((await sendRaw(port, rawRequest('GET', '/'))).status, 204)
})

test('every answer is told to the observer, with its method and status', async () => {
  const seen: (readonly [string, number])[] = []
  const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET,
    onAnswer(method, status, seconds) {
      assert.ok(seconds >= 0 && seconds < 60)
      seen.push([method, status])
    },
  })
  const port = await listen(server, 0, '127.0.0.1')
  await sendRaw(port, rawRequest('GET', '/'))
  await sendRaw(port, rawRequest('DELETE', '/x'))
  await stopListening(server, 100)
  assert.deepEqual(seen, [
    ['GET', 204],
    ['DELETE', 204],
  ])
})

test('a client that closes its side once it has asked still gets the answers that take a while', async (t) => {
  const { app, came, release } = waitingApp()
  const { port } = await openListener(t, app)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  const ended = once(socket, 'end')
  const post = (target: string) =>
    `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`
  socket.end(`${post('/first')}${post('/second')}`)
  await came('/first')
  release('/first')
  await came('/second')
  release('/second')
  await ended
  assert.equal(received.match(/HTTP\/1\.1 200 OK/g)?.length, 2)
  assert.match(received, /\/first[\s\S]*\/second$/)
})

test('a client that asked nothing and closes its side is let go', async (t) => {
  const { port } = await openListener(t, waitingApp().app)
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => socket.destroy())
  socket.resume()
  const ended = once(socket, 'end')
  socket.end()
  await ended
})
