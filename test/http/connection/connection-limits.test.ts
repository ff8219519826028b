import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { App } from '../../../src/http/api-request.ts'
import { createListener, listen, stopListening } from '../../../src/http/connection/listener.ts'
import { holdConnection, type HeldConnection } from '../../support/held-connection.ts'
import { get, QUIET_LOG, waitingApp } from '../../support/test-listener.ts'

async function openLimited(
  t: TestContext,
  app: App,
  limits: { readonly maxConnections: number; readonly isSharedByNetwork?: boolean },
) {
  const server = createListener(app, { noIndex: false, log: QUIET_LOG, ...limits })
  const port = await listen(server, 0, '127.0.0.1')
  t.after(() => stopListening(server, 0))
  return { port, counts: () => server.tracked.counts() }
}

const empty: App = () => ({ status: 204, headers: [], body: undefined })

async function isServed(held: HeldConnection): Promise<boolean> {
  const before = held.received().length
  held.send(get('/'))
  return held
    .until((received) => received.length > before)
    .then(
      () => true,
      () => false,
    )
}

test('at the maximum, the connection that has been idle longest makes room', async (t) => {
  const { port, counts } = await openLimited(t, empty, { maxConnections: 3 })
  const [first, second, third] = [
    await holdConnection(t, port),
    await holdConnection(t, port),
    await holdConnection(t, port),
  ]
  // Each was used after it was opened: the second is now the longest idle.
  for (const held of [second, third, first]) assert.ok(await isServed(held))
  const fourth = await holdConnection(t, port)
  assert.ok(await isServed(fourth))
  await second.closed
  for (const held of [first, third, fourth]) assert.ok(await isServed(held))
  assert.deepEqual(counts(), { open: 3, refused: 0, displaced: 1, stalled: 0 })
})

test('one client that opens connections without end shuts out no other', async (t) => {
  const { port } = await openLimited(t, empty, { maxConnections: 20 })
  const flood = await Promise.all(Array.from({ length: 200 }, () => holdConnection(t, port)))
  assert.ok(await isServed(await holdConnection(t, port)))
  assert.equal(flood.length, 200)
})

test('a connection with an owed response or half a request makes no room', async (t) => {
  const { app, came, release } = waitingApp()
  const { port, counts } = await openLimited(t, app, { maxConnections: 2 })
  const [owed, half] = [await holdConnection(t, port), await holdConnection(t, port)]
  owed.send(get('/owed'))
  half.send('GET /half HTTP/1.1\r\nHo')
  await came('/owed')
  const refused = await holdConnection(t, port)
  assert.equal(await refused.closed, '')
  assert.deepEqual(counts(), { open: 2, refused: 1, displaced: 0, stalled: 0 })
  half.send('st: a\r\n\r\n')
  await came('/half')
  for (const [held, target] of [
    [owed, '/owed'],
    [half, '/half'],
  ] as const) {
    release(target)
    await held.until((received) => received.endsWith(target))
  }
})

test('one network holds at most a quarter of the connections, and others are served', async (t) => {
  const { app, came } = waitingApp()
  const { port, counts } = await openLimited(t, app, { maxConnections: 8, isSharedByNetwork: true })
  for (const target of ['/1', '/2']) {
    const held = await holdConnection(t, port)
    held.send(get(target))
    await came(target)
  }
  assert.equal(await (await holdConnection(t, port)).closed, '')
  const other = await holdConnection(t, port, { localAddress: '127.0.0.2' })
  other.send(get('/other'))
  await came('/other')
  assert.deepEqual(counts(), { open: 3, refused: 1, displaced: 0, stalled: 0 })
})

test('within its share, a network makes room by its own longest-idle connection', async (t) => {
  const { port, counts } = await openLimited(t, empty, {
    maxConnections: 8,
    isSharedByNetwork: true,
  })
  const other = await holdConnection(t, port, { localAddress: '127.0.0.2' })
  const [first, second] = [await holdConnection(t, port), await holdConnection(t, port)]
  const third = await holdConnection(t, port)
  await first.closed
  for (const held of [other, second, third]) assert.ok(await isServed(held))
  assert.deepEqual(counts(), { open: 3, refused: 0, displaced: 1, stalled: 0 })
})
