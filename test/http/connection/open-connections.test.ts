import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { App } from '../../../src/http/api-request.ts'
import { createListener, listen, stopListening } from '../../../src/http/connection/listener.ts'
import { eventually } from '../../support/eventually.ts'
import { holdConnection } from '../../support/held-connection.ts'
import { QUIET_LOG } from '../../support/test-listener.ts'

const POST = 'POST /anything HTTP/1.1\r\nHost: localhost\r\n'

async function listening(t: TestContext, app: App) {
  const server = createListener(app, { noIndex: false, log: QUIET_LOG })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  const connections = () =>
    new Promise<number>((resolve, reject) => {
      server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
    })
  return { server, port, connections }
}

const respondAtOnce: App = () => ({ status: 200, headers: ['Content-Length', '4'], body: 'done' })

test('an invalid body after the response causes no second response', async (t) => {
  const { port } = await listening(t, respondAtOnce)
  const held = await holdConnection(t, port)
  held.send(`${POST}Transfer-Encoding: chunked\r\n\r\n`)
  await held.until((text) => text.endsWith('done'))
  held.send('no chunk size\r\n')
  const everything = await held.closed
  assert.equal(everything.split('HTTP/1.1 ').length - 1, 1, everything)
})

test('a malformed request after a complete one gets its own response', async (t) => {
  const { port } = await listening(t, respondAtOnce)
  const held = await holdConnection(t, port)
  held.send(`${POST}Content-Length: 2\r\n\r\nab`)
  await held.until((text) => text.endsWith('done'))
  held.send('nonsense\r\n\r\n')
  const everything = await held.closed
  assert.match(everything, /done\r?\n?HTTP\/1\.1 400 /)
})

test('drops a refused client that keeps its half of the connection open', async (t) => {
  const { port, connections } = await listening(t, respondAtOnce)
  for (const request of [
    'CONNECT a.test:1 HTTP/1.1\r\nHost: a.test:1\r\n\r\n',
    'nonsense\r\n\r\n',
  ]) {
    const held = await holdConnection(t, port, { allowHalfOpen: true })
    held.send(request)
    await held.until((text) => text.startsWith('HTTP/1.1 400 '))
  }
  await eventually('no connection is left', async () =>
    (await connections()) === 0 ? true : undefined,
  )
})

test('waits for a pending response until the grace period ends', async (t) => {
  const making = new Map<string, () => void>()
  const { server, port } = await listening(
    t,
    ({ target }) =>
      new Promise((resolve) => {
        making.set(target, () => {
          resolve({ status: 200, headers: ['Content-Length', '4'], body: 'late' })
        })
      }),
  )
  const [late, never] = await Promise.all([holdConnection(t, port), holdConnection(t, port)])
  late.send('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n')
  never.send('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await eventually('both requests came', () => (making.size === 2 ? true : undefined))
  const stopped = stopListening(server, 300)
  making.get('/late')?.()
  const text = await late.closed
  assert.match(text, /\r\nConnection: close\r\n/)
  assert.match(text, /late$/)
  assert.equal(await never.closed, '')
  await stopped
})
