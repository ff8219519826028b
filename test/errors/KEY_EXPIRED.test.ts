import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runKeyedApp, SELF } from '../support/keyed-app.ts'

test('KEY_EXPIRED: a key past its time is 401', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey({ ttlDays: 1 })
  app.clock.ms += 86_400_000
  for (const [method, target] of [
    ['GET', '/api/v1/status'],
    ['GET', SELF],
    ['DELETE', SELF],
    ['POST', '/api/v1/keys'],
  ] as const) {
    await assertCatalogError(
      app,
      { method, target, headers: { Authorization: `Bearer ${key}` } },
      {
        code: 'KEY_EXPIRED',
        status: 401,
        retryable: false,
        wwwAuthenticate: 'Bearer error="invalid_token"',
        cors: method === 'GET',
      },
    )
  }
})
