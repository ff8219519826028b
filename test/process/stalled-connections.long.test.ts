import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { makeDeployment } from '../support/deployment.ts'
import { startService } from '../support/service-process.ts'

const CONNECTIONS = 120
const GONE_WITHIN_MS = 90_000
const FLOOD = 'GET /api/v1/policy HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1500)

test('connections that do not read are reset within 90 s, and others are served meanwhile', async (t) => {
  const service = startService(t, makeDeployment(t).folder)
  const { port, origin } = await service.serving()
  const startedMs = performance.now()
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(port, '127.0.0.1')
    t.after(() => socket.destroy())
    socket.on('error', () => {})
    socket.pause()
    socket.write(FLOOD)
    return socket
  })
  while (performance.now() - startedMs < GONE_WITHIN_MS - 5000) {
    const response = await fetch(`${origin}/api/v1/status`)
    assert.equal(response.status, 200)
    await response.arrayBuffer()
    await delay(1000)
  }
  // A paused socket sees a reset when it writes.
  for (const socket of sockets) socket.write('x')
  await delay(1000)
  for (const socket of sockets) socket.write('x')
  await delay(1000)
  assert.deepEqual(
    sockets.filter(({ destroyed }) => !destroyed),
    [],
  )
})
