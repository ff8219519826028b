import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListener, listen, stopListening } from '../../../src/http/connection/listener.ts'
import { converse } from '../../support/raw-connection.ts'
import { rawRequest, sendRaw } from '../../support/raw-http.ts'
import { toResponse, assertSigned, publishedKey } from '../../support/received-response.ts'
import { runApp } from '../../support/running-app.ts'
import { get, openListener, QUIET_LOG } from '../../support/test-listener.ts'

test('OPTIONS * is 204 without CORS headers', async (t) => {
  for (const deployment of ['primary', 'preview'] as const) {
    const app = await runApp(t, { deployment })
    const response = await sendRaw(app.port, rawRequest('OPTIONS', '*'))
    assert.deepEqual([response.status, response.body], [204, ''])
    const names = response.headerNames.map((name) => name.toLowerCase()).toSorted()
    assert.deepEqual(
      names,
      deployment === 'preview' ? ['connection', 'date', 'x-robots-tag'] : ['connection', 'date'],
    )
  }
})

test('accepts well-formed hosts', async (t) => {
  const app = await runApp(t)
  for (const host of ['a', 'a.example:8080', '127.0.0.1:1', '[::1]:8080', 'a:', 'xn--a', 'a%20b']) {
    const response = await sendRaw(app.port, rawRequest('GET', '/api/v1', [`Host: ${host}`]))
    assert.equal(response.status, 200, host)
  }
})

test('an absolute target: path and query are served and signed', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const [sent, signed, status] of [
    ['http://elsewhere.example/api/v1/status?a=//b', '/api/v1/status?a=//b', 200],
    ['https://elsewhere.example:8443/api/v1/time', '/api/v1/time', 200],
    ['HTTP://elsewhere.example/api/v1/../v1/status', '/api/v1/../v1/status', 404],
  ] as const) {
    const response = toResponse('GET', signed, await sendRaw(app.port, rawRequest('GET', sent)))
    assert.equal(response.status, status, sent)
    assertSigned(response, key)
  }
})

test('serves HTTP/1.0, also without Host, and closes the connection', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const host of ['', 'Host: a\r\n']) {
    const { responses, closed } = await converse(app.port, `GET /api/v1 HTTP/1.0\r\n${host}\r\n`)
    assert.ok(closed)
    const [raw] = responses
    assert.ok(raw)
    assert.equal(raw.status, 200)
    assert.equal(raw.headers.get('connection'), 'close')
    assertSigned(toResponse('GET', '/api/v1', raw), key)
  }
})

test('ignores an Upgrade header', async (t) => {
  const app = await runApp(t)
  const headers = ['Host: a', 'Upgrade: websocket, h2c', 'Connection: Upgrade']
  const response = await sendRaw(app.port, rawRequest('GET', '/api/v1/status', headers))
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('upgrade'), undefined)
})

test('pipelined requests are answered in order, each signed for its own target', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  const targets = [
    '/api/v1/status',
    '/api/v1/nothing',
    '/api/v1/time?2',
    '/nothing',
    '/api/v1/policy',
  ]
  const requests = targets.map((target, index) => {
    const last = index === targets.length - 1
    return `GET ${target} HTTP/1.1\r\nHost: a\r\n${last ? 'Connection: close\r\n' : ''}\r\n`
  })
  const { responses } = await converse(app.port, requests.join(''))
  assert.ok(responses.length > 0)
  assert.deepEqual(
    responses.map(({ status }) => status),
    [200, 404, 200, 404, 200].slice(0, responses.length),
  )
  assert.equal(responses.at(-1)?.headers.get('connection'), 'close')
  responses.forEach((raw, index) => {
    const target = targets[index] ?? ''
    if (target.startsWith('/api')) assertSigned(toResponse('GET', target, raw), key)
  })
  assert.equal(
    new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size,
    responses.length,
  )
})

test('reports a port in use', async (t) => {
  const app = await runApp(t)
  const second = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET_LOG,
  })
  await assert.rejects(
    listen(second, app.port, '127.0.0.1'),
    new RegExp(`Cannot listen on 127\\.0\\.0\\.1 port ${app.port}: the port is already in use`),
  )
})

test('an app that throws, rejects or returns an invalid reply loses only its own connection, with a log line', async (t) => {
  const failure = new Error('a defect')
  const { port, errors } = await openListener(t, ({ target }) => {
    if (target === '/throws') throw failure
    if (target === '/rejects') return Promise.reject(failure)
    const headers = target === '/good' ? [] : ['Not a name', 'x']
    const reply = { status: 200, headers, body: 'good' }
    return target === '/writes-late' ? Promise.resolve(reply) : reply
  })
  for (const target of ['/throws', '/rejects', '/writes', '/writes-late']) {
    const { responses, closed } = await converse(port, get(target))
    assert.deepEqual([responses, closed], [[], true], target)
    assert.equal(errors.splice(0).length, 1, target)
    const { status } = await sendRaw(port, rawRequest('GET', '/good'))
    assert.equal(status, 200)
  }
})

test('logs each error of the listening socket and continues', async (t) => {
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

test('reports every response to the observer, with its method and status', async () => {
  const seen: (readonly [string | undefined, number])[] = []
  const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET_LOG,
    onResponse(method, status, seconds) {
      assert.ok(seconds !== undefined && seconds >= 0 && seconds < 60)
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

test('the observer receives each response of the listener once', async () => {
  const seen: (readonly [string | undefined, number, string])[] = []
  const server = createListener(() => ({ status: 204, headers: [], body: undefined }), {
    noIndex: false,
    log: QUIET_LOG,
    onResponse: (method, status, seconds) => seen.push([method, status, typeof seconds]),
  })
  const port = await listen(server, 0, '127.0.0.1')
  const post = 'POST / HTTP/1.1\r\nHost: a\r\n'
  for (const bytes of [
    'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET * HTTP/1.1\r\nHost: a\r\n\r\n',
    `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Expect: cake\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\n\r\nno length\r\n`,
    // Of these the parser hands no request over that could be answered.
    `${post}Transfer-Encoding: gzip\r\n\r\n`,
    'good morning\r\n\r\n',
    `GET / HTTP/1.1\r\nX-Note: ${'x'.repeat(20_000)}\r\n\r\n`,
    'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n',
  ]) {
    const { responses } = await converse(port, bytes)
    assert.equal(responses.length, 1)
  }
  await stopListening(server, 100)
  assert.deepEqual(seen, [
    ['OPTIONS', 204, 'number'],
    ['GET', 400, 'number'],
    ['GET', 400, 'number'],
    ['POST', 501, 'number'],
    ['POST', 417, 'number'],
    ['POST', 204, 'number'],
    [undefined, 400, 'undefined'],
    [undefined, 400, 'undefined'],
    [undefined, 431, 'undefined'],
    [undefined, 400, 'undefined'],
  ])
})
