import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import { createListener } from '../../../src/http/connection/listener.ts'
import { converse } from '../../support/raw-connection.ts'
import { runApp } from '../../support/running-app.ts'
import { GET_STATUS, QUIET_LOG } from '../../support/test-listener.ts'

/** Malformed requests, and the status they are rejected with (contract decisions 3.16). */
const REFUSED: { readonly [what: string]: readonly [status: number, bytes: string] } = {
  'words instead of a request': [400, 'good morning\r\n\r\n'],
  'an HTTP/0.9 request': [400, 'GET /api/v1/status\r\n\r\n'],
  'a TLS greeting': [400, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  'the HTTP/2 preface': [400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  'an unknown protocol version': [400, 'GET /api/v1/status HTTP/1.2\r\nHost: a\r\n\r\n'],
  'HTTP/2 in the syntax of HTTP/1': [400, 'GET /api/v1/status HTTP/2.0\r\nHost: a\r\n\r\n'],
  'HTTP/0.9 with headers': [400, 'GET /api/v1/status HTTP/0.9\r\nHost: a\r\n\r\n'],
  'an unknown method': [400, 'BREW /api/v1/status HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a method in lower case': [400, 'get /api/v1/status HTTP/1.1\r\nHost: a\r\n\r\n'],
  'line feeds alone': [400, 'GET /api/v1/status HTTP/1.1\nHost: a\n\n'],
  'a space in the target': [400, 'GET /api/v1/a b HTTP/1.1\r\nHost: a\r\n\r\n'],
  'bytes above ASCII in the target': [400, 'GET /api/v1/\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a space before a colon': [400, `${GET_STATUS}Host : a\r\n\r\n`],
  'a folded header': [400, `${GET_STATUS}Host: a\r\nX-Note: one\r\n two\r\n\r\n`],
  'a NUL in a header': [400, `${GET_STATUS}Host: a\r\nX-Note: \0\r\n\r\n`],
  'no Host': [400, `${GET_STATUS}\r\n`],
  'two Hosts': [400, `${GET_STATUS}Host: a\r\nHost: b\r\n\r\n`],
  'the same Host twice': [400, `${GET_STATUS}Host: a\r\nhost: a\r\n\r\n`],
  'an empty Host': [400, `${GET_STATUS}Host:\r\n\r\n`],
  'a Host with a path': [400, `${GET_STATUS}Host: a/b\r\n\r\n`],
  'a Host with a user': [400, `${GET_STATUS}Host: me@a\r\n\r\n`],
  'a Host with a space': [400, `${GET_STATUS}Host: a b\r\n\r\n`],
  'a Host with an invalid port': [400, `${GET_STATUS}Host: a:http\r\n\r\n`],
  'a Host that is a list': [400, `${GET_STATUS}Host: a, b c\r\n\r\n`],
  'two Hosts over HTTP/1.0': [400, 'GET /api/v1 HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n'],
  'a length beside a coding': [
    400,
    `${GET_STATUS}Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  'a coding beside a length': [
    400,
    `${GET_STATUS}Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
  ],
  'a coding after chunked': [
    400,
    `${GET_STATUS}Host: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`,
  ],
  'a coding that is not undone, under chunked': [
    501,
    `${GET_STATUS}Host: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  ],
  'a coding without chunked': [400, `${GET_STATUS}Host: a\r\nTransfer-Encoding: gzip\r\n\r\n`],
  'two lengths': [400, `${GET_STATUS}Host: a\r\nContent-Length: 0\r\nContent-Length: 1\r\n\r\n`],
  'a length below nought': [400, `${GET_STATUS}Host: a\r\nContent-Length: -1\r\n\r\n`],
  'an unknown expectation': [417, `${GET_STATUS}Host: a\r\nExpect: cake\r\n\r\n`],
  'an unknown expectation beside a known one': [
    417,
    `${GET_STATUS}Host: a\r\nExpect: 100-continue, cake\r\n\r\n`,
  ],
  'an unknown expectation on a separate line': [
    417,
    `${GET_STATUS}Host: a\r\nExpect: 100-continue\r\nExpect: cake\r\n\r\n`,
  ],
  'an expectation with a known one in its name': [
    417,
    `${GET_STATUS}Host: a\r\nExpect: not-100-continue\r\n\r\n`,
  ],
  'an expectation with a parameter': [
    417,
    `${GET_STATUS}Host: a\r\nExpect: 100-continue;q=1\r\n\r\n`,
  ],
  'a malformed Host of a client that waits for 100': [
    400,
    `${GET_STATUS}Host: a b\r\nExpect: 100-continue\r\n\r\n`,
  ],
  'headers past what is read': [
    431,
    `${GET_STATUS}Host: a\r\nX-Note: ${'x'.repeat(20_000)}\r\n\r\n`,
  ],
  'a target past what is read': [431, `GET /${'x'.repeat(400_000)} HTTP/1.1\r\nHost: a\r\n\r\n`],
  'a tunnel': [400, 'CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n'],
  'an asterisk with a method other than OPTIONS': [400, 'GET * HTTP/1.1\r\nHost: a\r\n\r\n'],
  'a target that is an authority': [400, 'GET a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  'an address without a host': [400, 'GET http:///api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'],
  'an address with a port and no host': [400, 'GET http://:80/api/v1 HTTP/1.1\r\nHost: a\r\n\r\n'],
}

for (const [what, [status, bytes]] of Object.entries(REFUSED)) {
  test(`${what}: ${status} with an empty body, and the connection ends`, async (t) => {
    for (const deployment of ['primary', 'preview'] as const) {
      const app = await runApp(t, { deployment })
      const { responses, closed } = await converse(app.port, bytes)
      assert.ok(closed, 'expected the server to close the connection')
      assert.equal(responses.length, 1)
      const [response] = responses
      assert.equal(response?.status, status)
      assert.equal(response.body, '')
      const headers = Object.fromEntries(response.headers)
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
    log: QUIET_LOG,
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

test('a request that arrives too slowly is 408; without a client there is no response', async () => {
  assert.match(
    await answerToClientError('ERR_HTTP_REQUEST_TIMEOUT'),
    /^HTTP\/1\.1 408 Request Timeout\r\n(?:[^\r]+\r\n)*Cache-Control: no-store\r\n/,
  )
  assert.equal(await answerToClientError('ECONNRESET'), '')
})

test('rejects a malformed request after the response to the valid one before it', async (t) => {
  const app = await runApp(t)
  const { responses, closed } = await converse(
    app.port,
    `${GET_STATUS}Host: a\r\n\r\ngood morning\r\n\r\n`,
  )
  assert.ok(closed)
  assert.deepEqual(
    responses.map(({ status, body }) => [status, body === '']),
    [
      [200, false],
      [400, true],
    ],
  )
})
