import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { STOP_TIMES } from '../../src/process/run.ts'
import { makeDeployment } from '../support/deployment.ts'
import { eventually } from '../support/eventually.ts'
import { holdConnection } from '../support/held-connection.ts'
import { hastyProgram, startService, type ServiceProcess } from '../support/service-process.ts'
import { stopWithWaiting } from '../support/waiting-connections.ts'

/** With this grace period, a stop that waits for its end never completes. */
const PATIENT = hastyProgram({ graceMs: 3_600_000, killAfterMs: 3_600_000 })
const ENDED = { code: 0, signal: null }
const HALF_A_BODY = [
  'POST /api/v1/early-access/register HTTP/1.1',
  'Host: localhost',
  'Content-Type: application/json',
  'Content-Length: 20',
  '',
  '{"email":',
].join('\r\n')
const OTHER_HALF = '"a@b.test"}'

async function running(
  t: TestContext,
): Promise<{ readonly service: ServiceProcess; readonly port: number; readonly origin: string }> {
  const service = startService(t, makeDeployment(t).folder, {}, PATIENT)
  return { service, ...(await service.serving()) }
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(false))
    socket.once('error', () => resolve(true))
    socket.once('connect', () => socket.destroy())
  })
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} ends the process with exit code 0 and a log line`, async (t) => {
    const { service, origin } = await running(t)
    // fetch keeps its connection open, as every client does.
    assert.equal((await fetch(`${origin}/api/v1/time`)).status, 200)
    service.signal(signal)
    assert.deepEqual(await service.ended, ENDED)
    assert.ok((await service.line('Stopping')).msg.includes('in flight'))
    assert.equal(service.stderr(), '')
  })
}

test('completes a request with a half-sent body and accepts no new connection meanwhile', async (t) => {
  const { service, port } = await running(t)
  const held = await holdConnection(t, port)
  held.send(HALF_A_BODY)
  // Once a later request was answered, the half one has reached the server too.
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  service.signal('SIGTERM')
  await service.line('Stopping')
  await eventually('connections are refused', async () => (await isRefused(port)) || undefined)
  held.send(OTHER_HALF)
  const response = await held.until((text) => text.includes('"ok":false') && text.endsWith('}'))
  assert.match(response, /^HTTP\/1\.1 400 /)
  assert.match(response, /CONSENT_REQUIRED/)
  assert.match(response, /X-SVC-Signature: /)
  // The client leaves its connection open, and the service closes it.
  await held.closed
  assert.deepEqual(await service.ended, ENDED)
})

test('a second signal does not cut off requests', async (t) => {
  const { service, port } = await running(t)
  const held = await holdConnection(t, port)
  held.send(HALF_A_BODY)
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  service.signal('SIGINT')
  await service.line('Stopping')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) service.signal(signal)
  await eventually('connections are refused', async () => (await isRefused(port)) || undefined)
  held.send(OTHER_HALF)
  const response = await held.until((text) => text.includes('"ok":false') && text.endsWith('}'))
  assert.match(response, /^HTTP\/1\.1 400 /)
  assert.deepEqual(await service.ended, ENDED)
  assert.equal(service.lines().filter(({ msg }) => msg.startsWith('Stopping')).length, 1)
})

test('completes a request with half-sent headers and closes the connection', async (t) => {
  const { service, port } = await running(t)
  const held = await holdConnection(t, port)
  held.send('GET /api/v1/time HTTP/1.1\r\nHost: loc')
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  service.signal('SIGTERM')
  await service.line('Stopping')
  await eventually('connections are refused', async () => (await isRefused(port)) || undefined)
  held.send('alhost\r\n\r\n')
  const response = await held.closed
  assert.match(response, /^HTTP\/1\.1 200 /)
  assert.match(response, /\r\nConnection: close\r\n/)
  assert.match(response, /SERVER_UTC/)
  assert.deepEqual(await service.ended, ENDED)
})

test('completes a second request that began on a kept connection', async (t) => {
  const { service, port } = await running(t)
  const held = await holdConnection(t, port)
  held.send('GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await held.until((text) => text.includes('SERVER_UTC'))
  held.send('GET /api/v1/roadmap HTTP/1.1\r\nHo')
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  service.signal('SIGTERM')
  await service.line('Stopping')
  await eventually('connections are refused', async () => (await isRefused(port)) || undefined)
  held.send('st: localhost\r\n\r\n')
  const response = await held.closed
  assert.equal(response.split('HTTP/1.1 200 ').length, 3, 'two responses came')
  assert.deepEqual(await service.ended, ENDED)
})

test('a slow reader gets its whole response', async (t) => {
  const { service, port } = await running(t)
  const held = await holdConnection(t, port)
  const document = await (await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`)).text()
  // As many responses as no socket buffer holds, none of which is read until the service is stopping.
  const count = Math.ceil(16_000_000 / document.length)
  held.pause()
  held.send('GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(count))
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  service.signal('SIGTERM')
  await service.line('Stopping')
  await eventually('connections are refused', async () => (await isRefused(port)) || undefined)
  held.resume()
  const responses = await held.closed
  assert.equal(
    responses.length - responses.lastIndexOf('\r\n\r\n') - 4,
    Buffer.byteLength(document),
  )
  assert.deepEqual(await service.ended, ENDED)
})

test('idle connections do not delay the stop', async (t) => {
  const { service, port } = await running(t)
  const silent = await holdConnection(t, port)
  const kept = await holdConnection(t, port)
  kept.send('GET /api/v1/time HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await kept.until((text) => text.includes('SERVER_UTC'))
  const asterisk = await holdConnection(t, port)
  asterisk.send('OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await asterisk.until((text) => text.startsWith('HTTP/1.1 204 '))
  const tunnel = await holdConnection(t, port, { allowHalfOpen: true })
  tunnel.send('CONNECT example.test:443 HTTP/1.1\r\nHost: example.test:443\r\n\r\n')
  await tunnel.until((text) => text.startsWith('HTTP/1.1 400 '))
  service.signal('SIGTERM')
  await Promise.all([silent.closed, kept.closed, asterisk.closed])
  assert.deepEqual(await service.ended, ENDED)
})

test('cuts off an unfinished request after the grace period', async (t) => {
  const graceMs = 1000
  const program = hastyProgram({ graceMs, killAfterMs: 2 * graceMs })
  const service = startService(t, makeDeployment(t).folder, {}, program)
  const { port } = await service.serving()
  const held = await holdConnection(t, port)
  held.send(HALF_A_BODY)
  await fetch(`http://127.0.0.1:${port}/api/v1/time`)
  const sinceMs = performance.now()
  service.signal('SIGTERM')
  await service.line('Stopping')
  assert.deepEqual(await service.ended, ENDED)
  const tookMs = performance.now() - sinceMs
  assert.ok(tookMs > graceMs * 0.9, `the client had time to finish (${tookMs} ms)`)
  await held.closed
})

test('answers every connection that waits to be accepted', async (t) => {
  const outcomes = await stopWithWaiting(t, 100)
  assert.deepEqual([...new Set(outcomes)], ['HTTP/1.1 200 OK'])
})

test('clients get at least nine of the ten promised seconds, and then every worker has ended', () => {
  assert.ok(STOP_TIMES.graceMs >= 9000 && STOP_TIMES.graceMs <= 9500)
  assert.ok(STOP_TIMES.killAfterMs > STOP_TIMES.graceMs && STOP_TIMES.killAfterMs <= 10_000)
})
