import assert from 'node:assert/strict'
import {
  createServer,
  type IncomingMessage,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  allowHalfOpen,
  discardInput,
  keepConnectionsOnClose,
  replaceDestroySoon,
  SHARABLE,
  shareFurtherRequests,
  takenBytes,
} from '../../../src/http/connection/node-http-compat.ts'
import { eventually } from '../../support/eventually.ts'

/** A server of the test's own, and a client that collects what it gets. */
async function openPair(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  options: ServerOptions = {},
) {
  const server = createServer(options, handle)
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

const get = (target: string) => `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`

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

test('discardInput: later requests are not parsed, and the current response is sent', async (t) => {
  let handled = 0
  const pair = await openPair(t, (_request, response) => {
    handled += 1
    setTimeout(() => response.end('answered'), 50)
  })
  pair.client.write(get('/first'))
  await pair.until('the first request came', () => handled === 1)
  const socket = await pair.socket()
  const before = socket.bytesRead
  discardInput(socket)
  await new Promise(setImmediate)
  pair.client.write(get('/second').repeat(100))
  await pair.until('the response came', () => pair.received().includes('answered'))
  await pair.until('the input was read', () => socket.bytesRead > before)
  assert.equal(handled, 1)
})

test('shareFurtherRequests: later requests of a packet have one object, and the first gets its response', async (t) => {
  const requests = new Set<IncomingMessage>()
  const responses = new Set<ServerResponse>()
  let count = 0
  const pair = await openPair(
    t,
    (request, response) => {
      count += 1
      requests.add(request)
      responses.add(response)
      if (count > 1) return
      shareFurtherRequests(request.socket)
      setTimeout(() => response.end('answered'), 50)
    },
    SHARABLE,
  )
  const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody'
  pair.client.write((get('/') + post).repeat(100))
  await pair.until('the response came', () => pair.received().includes('answered'))
  assert.deepEqual([count, requests.size, responses.size], [200, 2, 2])
  pair.client.resetAndDestroy()
  const socket = await pair.socket()
  await pair.until('the server closed its side', () => socket.destroyed)
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
