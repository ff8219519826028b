import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runKeyedApp, SELF } from '../support/keyed-app.ts'
import { ask } from '../support/received-response.ts'

test('KEY_RATE_LIMITED: a key past its quota is 429 with Retry-After', async (t) => {
  const app = await runKeyedApp(t)
  const headers = { 'X-SVC-Key': await app.makeKey() }
  for (let each = 0; each < 600; each += 1) {
    assert.equal((await ask(app, '/api/v1/time', { headers })).status, 200)
  }
  for (const [waitMs, retryAfterSeconds] of [
    [0, 60],
    [18_001, 42],
    [41_998, 1],
  ] as const) {
    app.clock.ms += waitMs
    for (const [method, target] of [
      ['GET', '/api/v1/status'],
      ['DELETE', SELF],
    ] as const) {
      await assertCatalogError(
        app,
        { method, target, headers },
        {
          code: 'KEY_RATE_LIMITED',
          status: 429,
          retryable: true,
          retryAfterSeconds,
          cors: method === 'GET',
        },
      )
    }
  }
})
