import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { test, type TestContext } from 'node:test'
import { allowHalfOpen, takenBytes } from '../../../src/http/connection/node-http-compat.ts'
import { eventually } from '../../support/eventually.ts'

/** A server of the test's own, and a client that collects what it gets. */
async function openPair(
  t: TestContext,
  handle: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const server = createServer(handle)
  const { promise: accepted, resolve } = Promise.withResolvers<Socket>()
  server.once('connection', resolve)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  t.after(() => {
    client.destroy()
    server.closeAllConnections()
    server.close()
  })
  let received = ''
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text
  })
  client.on('error', () => {})
  return {
    server,
    client,
    socket: () => accepted,
    received: () => received,
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
