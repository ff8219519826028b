import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createConnection, type Fetch } from '@public-api/client-internal/connection'
import { platformFetch as nodeFetch } from '@public-api/client-internal/node/node-fetch'
import { platformFetch as webFetch } from '@public-api/client-internal/web-fetch'
import { serveTcp } from '../support/loopback-server.ts'

/** A server that sends these bytes on each connection. */
async function serveBytes(t: TestContext, bytes: Buffer): Promise<string> {
  return `http://127.0.0.1:${await serveTcp(t, (socket) => socket.once('data', () => socket.end(bytes)))}`
}

const PLAIN = 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok'
const ZIPPED = gzipSync('ok')

for (const [what, head, body, fetches] of [
  ['a plain response', PLAIN, '', [nodeFetch, webFetch]],
  ['an unrequested 103', `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${PLAIN}`, '', [nodeFetch]],
  ['an unrequested 100', `HTTP/1.1 100 Continue\r\n\r\n${PLAIN}`, '', [nodeFetch]],
  ['several of them', `HTTP/1.1 100 A\r\n\r\nHTTP/1.1 102 B\r\n\r\n${PLAIN}`, '', [nodeFetch]],
  ['blanks after Content-Length', PLAIN.replace('2\r\n\r\n', '2  \r\n\r\n'), '', [nodeFetch]],
  [
    'a content coding',
    `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Encoding: gzip\r\nContent-Length: ${ZIPPED.length}\r\n\r\n`,
    ZIPPED,
    [nodeFetch, webFetch],
  ],
] as const) {
  test(`reads ${what}`, async (t) => {
    const origin = await serveBytes(t, Buffer.concat([Buffer.from(head), Buffer.from(body)]))
    for (const fetch of fetches as readonly Fetch[]) {
      const { status, body: read } = await createConnection(origin, fetch).send('/', {}, undefined)
      assert.deepEqual([status, new TextDecoder().decode(read)], [200, 'ok'])
    }
  })
}

test('reads a 304 that states the content coding of the stored response', async (t) => {
  const head = 'HTTP/1.1 304 Not Modified\r\nConnection: close\r\nContent-Encoding: gzip\r\n\r\n'
  const origin = await serveBytes(t, Buffer.from(head))
  for (const fetch of [nodeFetch, webFetch]) {
    const { status, body } = await createConnection(origin, fetch).send('/', {}, undefined)
    assert.deepEqual([status, body.length], [304, 0])
  }
})

test('an error is read up to 64 KiB, and a success up to the limit of the client', async (t) => {
  const signed = 'X-SVC-Signature: AAAA\r\n'
  for (const [status, length, read, fields = ''] of [
    [200, 65_537, 'all'],
    [503, 65_536, 'all'],
    // What a gateway says proves nothing, and is cut off.
    [503, 3_000_000, 'cut'],
    [404, 65_537, 'cut'],
    [503, 65_537, 'refused', signed],
    [404, 65_537, 'refused', signed],
  ] as const) {
    const size = `Content-Length: ${length}`
    const head = `HTTP/1.1 ${status} X\r\n${fields}Connection: close\r\n${size}\r\n\r\n`
    const origin = await serveBytes(t, Buffer.from(head + 'x'.repeat(length)))
    const sent = createConnection(origin, nodeFetch).send('/', {}, undefined)
    if (read === 'all') assert.equal((await sent).body.length, length)
    else if (read === 'cut') assert.ok((await sent).body.length <= 65_536)
    else await assert.rejects(sent, (error: Error) => error.cause instanceof RangeError)
  }
})

const CHUNKED = 'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'

const INTERIM = 'HTTP/1.1 103 Early Hints\r\n\r\n'

test('joins small chunks, and refuses very many of a few bytes', async (t) => {
  for (const [count, size, isRead] of [
    [9000, 1, true],
    [20_000, 1, false],
    [20_000, 20, true],
  ] as const) {
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`
    const origin = await serveBytes(t, Buffer.from(`${CHUNKED}${chunk.repeat(count)}0\r\n\r\n`))
    const sent = createConnection(origin, nodeFetch).send('/', {}, undefined)
    if (isRead) assert.equal((await sent).body.length, count * size)
    else await assert.rejects(sent, (error: Error) => /chunks below 16/.test(String(error.cause)))
  }
})

test('skips a hundred interim responses, and refuses more', async (t) => {
  for (const [count, isRead] of [
    [100, true],
    [101, false],
  ] as const) {
    const origin = await serveBytes(t, Buffer.from(INTERIM.repeat(count) + (isRead ? PLAIN : '')))
    const sent = createConnection(origin, nodeFetch).send('/', {}, undefined)
    if (isRead) assert.equal((await sent).status, 200)
    else await assert.rejects(sent, (error: Error) => /more than 100 /.test(String(error.cause)))
  }
})
