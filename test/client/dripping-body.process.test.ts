import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createClient } from '@public-api/client-internal/client'
import { serveDripping } from '../support/dripping-server.ts'
import { eventually } from '../support/eventually.ts'
import { failedWith, svc } from '../support/run-svc.ts'

/** A server whose response never ends, and whose certificate this process trusts. */
async function openServer(t: TestContext) {
  const server = await serveDripping(t)
  const known = getCACertificates()
  setDefaultCACertificates([...known, readFileSync(server.certificate, 'utf8')])
  t.after(() => setDefaultCACertificates(known))
  return server
}

test('a client ends a body over TLS that never ends, and repeats the request', async (t) => {
  const { origin, observed } = await openServer(t)
  let waits = 0
  const client = createClient({
    baseUrl: origin,
    timeoutMs: 1000,
    maxRetries: 1,
    wait: async () => void (waits += 1),
  })
  await assert.rejects(client.getUnverified('/'), (error: Error) => {
    assert.equal(error.name, 'ConnectionError')
    assert.equal((error.cause as Error).message, 'no response within 1000 ms')
    return true
  })
  assert.equal(waits, 1)
  // A busy machine may not have sent a request within its second.
  await eventually('no open connection', () => observed.closed >= observed.requests || undefined)
})

test('svc verify ends a body over TLS that never ends', async (t) => {
  const { origin, observed } = await openServer(t)
  const error = failedWith(3, await svc('verify', `${origin}/api/v1/status`, '--timeout', '1'))
  assert.match(error, /\/api\/v1\/\S+ did not respond within 1 s$/m)
  await eventually('no open connection', () => observed.closed >= observed.requests || undefined)
})
