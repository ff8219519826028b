import { test } from 'node:test'
import { assertCatalogError, ECHO_MARKER } from '../support/catalog-error.ts'
import { makeRefusedKeys, runKeyedApp, SELF } from '../support/keyed-app.ts'

test('KEY_INVALID: 401 for a malformed, unknown, wrong or revoked key, in either header', async (t) => {
  const app = await runKeyedApp(t)
  const good = await app.makeKey()
  const marked = `svk_aaaaaaaaaaaaaaaa_${ECHO_MARKER.padEnd(43, 'x')}`
  const keys = Object.values(await makeRefusedKeys(app))
  for (const [method, target, headers] of [
    ...[ECHO_MARKER, marked, ...keys].flatMap((key) => [
      ['GET', '/api/v1/status', { 'X-SVC-Key': key }] as const,
      ['DELETE', SELF, { Authorization: `Bearer ${key}` }] as const,
    ]),
    ['GET', '/api/v1/status', { 'X-SVC-Key': good, Authorization: `Bearer ${marked}` }] as const,
  ]) {
    await assertCatalogError(
      app,
      { method, target, headers },
      {
        code: 'KEY_INVALID',
        status: 401,
        retryable: false,
        wwwAuthenticate: 'Bearer error="invalid_token"',
        cors: method === 'GET',
      },
    )
  }
})
