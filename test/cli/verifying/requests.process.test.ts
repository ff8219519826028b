import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net'
import { test, type TestContext } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describeFailure } from '@public-api/cli/src/verifying/failure-reason.ts'
import {
  createHttpClient,
  createFetch,
  UnreachableError,
  type HttpClient,
} from '@public-api/cli/src/verifying/requests.ts'
import { ageOf, sanitizeForTerminal } from '@public-api/cli/src/verifying/sanitize-for-terminal.ts'
import { createCertificate } from '../../support/certificate.ts'
import { serve } from '../../support/loopback-server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const GET = { method: 'GET', target: '/' }

function httpClientFor(t: TestContext, origin: string, timeoutMs = 5000): HttpClient {
  let ms = 0
  const httpClient = createHttpClient(origin, timeoutMs, () => (ms += 10))
  t.after(() => httpClient.close())
  return httpClient
}

async function listenOn(t: TestContext, server: Server, host = '127.0.0.1'): Promise<number> {
  await once(server.listen(0, host), 'listening')
  t.after(() => server.close())
  return (server.address() as AddressInfo).port
}

test('sends target and headers unchanged, and returns the response unchanged', async (t) => {
  const heads: string[] = []
  const server = createTcpServer((socket) => {
    socket.once('data', (bytes) => {
      heads.push(bytes.toString('latin1'))
      socket.end(
        'HTTP/1.1 200 OK\r\nX-One: a\r\nx-one: b\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}',
      )
    })
  })
  const origin = `http://127.0.0.1:${await listenOn(t, server)}`
  const target = '/a/../b%2f?x=%zz&'
  const response = await httpClientFor(t, origin).ask({
    method: 'GET',
    target,
    headers: { 'X-A': 'b' },
  })
  assert.match(heads[0] ?? '', /^GET \/a\/\.\.\/b%2f\?x=%zz& HTTP\/1\.1\r\n/)
  assert.match(heads[0] ?? '', /\r\nX-A: b\r\n/)
  assert.deepEqual(response.headers.slice(0, 2), [
    ['X-One', 'a'],
    ['x-one', 'b'],
  ])
  assert.equal(response.field('X-ONE'), 'a, b')
  assert.deepEqual(
    [
      response.status,
      response.sentAtMs,
      response.receivedAtMs,
      Buffer.from(response.body).toString(),
    ],
    [200, 10, 20, '{}'],
  )
})

test('decodes a content coding, or reports an unknown one', async (t) => {
  const text = '{"a":1}'
  for (const [coding, bytes, isDecoded] of [
    ['gzip', gzipSync(text), true],
    ['X-GZIP', gzipSync(text), true],
    ['br', brotliCompressSync(text), true],
    ['deflate', deflateSync(text), true],
    ['zstd', zstdCompressSync(text), true],
    ['identity', Buffer.from(text), true],
    ['gzip', Buffer.from(text), false],
    ['toString', Buffer.from(text), false],
  ] as const) {
    const origin = await serve(t, (_request, response) => {
      response.writeHead(200, { 'Content-Encoding': coding })
      response.end(bytes)
    })
    const response = await httpClientFor(t, origin).ask(GET)
    assert.equal(response.isDecoded, isDecoded, coding)
    assert.equal(Buffer.from(response.body).toString(), isDecoded ? text : '')
  }
})

test('connects to an IPv6 address', async (t) => {
  const server = createTcpServer((socket) => {
    socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'))
  })
  let port: number
  try {
    port = await listenOn(t, server, '::1')
  } catch {
    return t.skip('this machine has no IPv6 loopback')
  }
  assert.equal((await httpClientFor(t, `http://[::1]:${port}`).ask(GET)).status, 204)
})

test('repeats a read whose kept connection the server closed, and no other request', async (t) => {
  const requests: string[] = []
  let connections = 0
  const server = createTcpServer((socket) => {
    connections += 1
    let isKept = false
    socket.on('data', (data) => {
      requests.push(data.toString().split(' ', 1)[0] ?? '')
      if (isKept) return socket.destroy()
      isKept = true
      return socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
    })
    socket.on('error', () => {})
  })
  const { ask } = httpClientFor(t, `http://127.0.0.1:${await listenOn(t, server)}`)
  for (const connection of [1, 2, 3]) {
    assert.equal((await ask(GET)).status, 200)
    assert.equal(connections, connection)
  }
  await assert.rejects(ask({ ...GET, method: 'POST' }), /closed before a response arrived/)
  assert.deepEqual(requests, ['GET', 'GET', 'GET', 'GET', 'GET', 'POST'])
})

test('reads once what a kept connection breaks off within', async (t) => {
  let requests = 0
  const server = createTcpServer((socket) => {
    let isKept = false
    socket.on('data', () => {
      requests += 1
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${isKept ? 3 : 2}\r\n\r\n{}`)
      if (isKept) setTimeout(() => socket.resetAndDestroy(), 50)
      isKept = true
    })
    socket.on('error', () => {})
  })
  const { ask } = httpClientFor(t, `http://127.0.0.1:${await listenOn(t, server)}`)
  assert.equal((await ask(GET)).status, 200)
  await assert.rejects(ask(GET), /broke off/)
  assert.equal((await ask(GET)).status, 200)
  assert.equal(requests, 3)
})

test('reports malformed, broken and endless responses in one line', async (t) => {
  for (const [says, expected] of [
    ['SSH-2.0-OpenSSH_9.2\r\n\r\n', /sent something that is not HTTP \(HPE_/],
    ['HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{}', /the connection broke off/],
    ['', /the connection was closed before a response arrived/],
  ] as const) {
    const server = createTcpServer((socket) => {
      socket.once('data', () => socket.end(says))
      socket.on('error', () => {})
    })
    const origin = `http://127.0.0.1:${await listenOn(t, server)}`
    await assert.rejects(httpClientFor(t, origin).ask(GET), (error: unknown) => {
      assert.ok(error instanceof UnreachableError)
      assert.match(error.message, expected)
      assert.ok(error.message.startsWith(`${origin}/ `))
      return true
    })
  }
  const endless = await serve(t, (_request, response) => {
    const part = Buffer.alloc(1_000_000)
    const write = () => {
      while (!response.destroyed && response.write(part));
    }
    response.on('drain', write)
    write()
  })
  await assert.rejects(
    httpClientFor(t, endless, 120_000).ask(GET),
    /\/ has more than 16000000 bytes; no valid response/,
  )
  const slow = await serve(t, (_request, response) => {
    response.writeHead(200)
    response.write('{')
  })
  await assert.rejects(httpClientFor(t, slow, 200).ask(GET), /did not respond within 0\.2 s/)
})

test('reports an untrusted certificate', async (t) => {
  const { certificate, key } = createCertificate(temporaryFolder(t))
  const server = createTlsServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (_request, response) => response.end(),
  )
  const origin = `https://127.0.0.1:${await listenOn(t, server)}`
  await assert.rejects(
    httpClientFor(t, origin).ask(GET),
    /its certificate is self-signed \(TLS\); NODE_EXTRA_CA_CERTS/,
  )
})

test('describes known error codes and quotes other messages', () => {
  const failed = (code: string): string =>
    describeFailure(Object.assign(new Error('raw words'), { code }), 1000)
  assert.match(failed('ENOTFOUND'), /host name is not known \(DNS\)/)
  assert.match(failed('CERT_HAS_EXPIRED'), /certificate has expired/)
  assert.equal(failed('EODD'), 'could not be reached: raw words')
  assert.equal(failed('toString'), 'could not be reached: raw words')
  const both = new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })])
  assert.equal(describeFailure(both, 1000), 'could not be reached: nothing listens there')
  assert.equal(describeFailure('odd', 1000), 'could not be reached: odd')
})

test('fetch does not follow redirects and ends with its signal', async (t) => {
  const origin = await serve(t, (request, response) => {
    if (request.url === '/moved') response.writeHead(302, { Location: '/' })
    else response.writeHead(304)
    response.end()
  })
  const fetch = createFetch(httpClientFor(t, origin).ask)
  const init = {
    method: 'GET',
    headers: {},
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'manual',
    signal: new AbortController().signal,
  } as const
  await assert.rejects(fetch(`${origin}/moved`, init), /is a redirect \(status 302\)/)
  assert.equal((await fetch(`${origin}/`, init)).status, 304)
  const reason = new Error('enough')
  const signal = AbortSignal.abort(reason)
  await assert.rejects(fetch(`${origin}/`, { ...init, signal }), reason)
})

test('formats ages in a suitable unit and texts in one line', () => {
  assert.deepEqual([-5, 0, 119.9, 120, 7199, 7200, 172_799, 172_800].map(ageOf), [
    '0 s',
    '0 s',
    '119 s',
    '2 min',
    '119 min',
    '2 h',
    '47 h',
    '2 days',
  ])
  assert.equal(sanitizeForTerminal('a\r\nb\u001b[3m\u202ec'), String.raw`a b\u001b[3m\u202ec`)
  assert.equal(sanitizeForTerminal('abcdef', 3), 'abc…')
})
