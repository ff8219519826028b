import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  allowHalfOpen,
  gateRequests,
  hasOtherProtocol,
  holdReading,
  keepConnectionsOnClose,
  keepOpenAfter,
  replaceDestroySoon,
  takenBytes,
} from '../../src/http/node-http-compat.ts'
import { eventually } from '../support/eventually.ts'

/** A server of the test's own, and a client that collects what it gets. */
async function openPair(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer(handle)
  const { promise: accepted, resolve } = Promise.withResolvers<Socket>()
  server.once('connection', resolve)
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  let received = ''
  let hasEnded = false
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  client.on('end', () => {
    hasEnded = true
  })
  client.on('error', () => {})
  return {
    server,
    client,
    socket: () => accepted,
    received: () => received,
    hasEnded: () => hasEnded,
    until: (what: string, isReached: () => boolean) =>
      eventually(what, () => (isReached() ? true : undefined)),
  }
}

const get = (target: string, version = 'HTTP/1.1') => `GET ${target} ${version}\r\nHost: a\r\n\r\n`

test('allowHalfOpen: a client that closed its side gets its response', async (t) => {
  const pair = await openPair(t, (_request, response) => {
    setTimeout(() => response.end('late'), 50)
  })
  allowHalfOpen(pair.server)
  pair.client.end(get('/'))
  await pair.until('the response came', () => pair.received().includes('late'))
})

test('replaceDestroySoon: is called after the last response', async (t) => {
  const pair = await openPair(t, (_request, response) => response.end('last'))
  let isReplaced = false
  pair.server.on('connection', (socket: Socket) => {
    replaceDestroySoon(socket, () => {
      isReplaced = true
    })
  })
  pair.client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
  await pair.until('it was called', () => isReplaced)
  assert.equal(pair.hasEnded(), false)
})

test('keepConnectionsOnClose: closing leaves an idle connection open', async (t) => {
  const pair = await openPair(t, (_request, response) => response.end('answered'))
  keepConnectionsOnClose(pair.server)
  pair.client.write(get('/first'))
  await pair.until('the first response came', () => pair.received().includes('answered'))
  pair.server.close()
  pair.client.write(get('/second'))
  await pair.until('the second came', () => pair.received().split('answered').length === 3)
})

test('keepOpenAfter: the connection outlives the response during which the client ended', async (t) => {
  const pair = await openPair(t, (_request, response) => {
    setTimeout(() => response.end('late'), 50)
  })
  allowHalfOpen(pair.server)
  let current: ServerResponse | undefined
  pair.server.on('request', (_request, response) => {
    current = response
  })
  pair.server.on('connection', (socket: Socket) => {
    socket.on('end', () => {
      if (current !== undefined) keepOpenAfter(current)
    })
  })
  pair.client.end(get('/'))
  const socket = await pair.socket()
  await pair.until('the response came', () => pair.received().includes('late'))
  assert.ok(socket.writable)
})

test('gateRequests: requests wait for their turn, and a stopped parser returns its unread bytes', async (t) => {
  const targets: string[] = []
  const pair = await openPair(t, (request, response) => {
    targets.push(request.url ?? '')
    response.end(request.url)
  })
  const deferred: (() => void)[] = []
  let handled = 0
  pair.server.on('connection', (socket: Socket) => {
    gateRequests(socket, {
      isOpen: () => {
        handled += 1
        return handled === 1
      },
      defer(_request, handle) {
        if (deferred.length === 1) return false
        deferred.push(handle)
        return true
      },
    })
  })
  let stopped: { readonly url: string | undefined; readonly rest: string } | undefined
  pair.server.on('upgrade', (request, stream, rest: Buffer) => {
    stopped = { url: request.url, rest: rest.toString() }
    holdReading(stream as Socket)
  })
  pair.client.write(get('/1') + get('/2') + get('/3') + get('/4'))
  await pair.until('the parser stopped', () => stopped !== undefined)
  assert.deepEqual(targets, ['/1'])
  assert.deepEqual(stopped, { url: '/3', rest: get('/4') })
  await pair.until('the first response came', () => pair.received().endsWith('/1'))
  deferred[0]?.()
  await pair.until('the second response came', () => pair.received().endsWith('/2'))
  const socket = await pair.socket()
  assert.ok(socket.isPaused(), 'a request that is handled does not resume the connection')
})

test('gateRequests: treats a request with Upgrade like others', async (t) => {
  const pair = await openPair(t, (_request, response) => response.end('declined'))
  pair.server.on('connection', (socket: Socket) => {
    gateRequests(socket, { isOpen: () => true, defer: () => true })
  })
  pair.server.on('upgrade', () => assert.fail('the offer was taken'))
  pair.client.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
  await pair.until('the response came', () => pair.received().includes('declined'))
})

test('takenBytes: counts the bytes the kernel accepted, also during a write', async (t) => {
  const pair = await openPair(t, (_request, response) => response.end(Buffer.alloc(50_000_000)))
  const socket = await pair.socket()
  pair.client.pause()
  pair.client.write(get('/'))
  await pair.until('the kernel is full', () => socket.writableLength > 0)
  const before = takenBytes(socket) ?? 0
  assert.ok(before > 0 && before < 50_000_000, `${before}`)
  pair.client.resume()
  await pair.until('all was taken', () => (takenBytes(socket) ?? 0) > 50_000_000)
})

for (const [line, expected] of [
  ['GET / HTTP/1.0', false],
  ['GET / RTSP/1.0', true],
  ['SOURCE / ICE/1.0', true],
  ['GET /?x=GET%20/%20RTSP/1.0 HTTP/1.0', false],
] as const) {
  test(`hasOtherProtocol: ${line}`, async (t) => {
    let found: boolean | undefined
    const pair = await openPair(t, (request, response) => {
      found = hasOtherProtocol(request)
      response.end()
    })
    pair.client.write(`${line}\r\nHost: a\r\n\r\n`)
    await pair.until('the request came', () => found !== undefined)
    assert.equal(found, expected)
  })
}
