import { test } from 'node:test'
import { assertCatalogError, ECHO_MARKER } from '../support/catalog-error.ts'
import { createFakeApiKeys } from '../support/fake-api-keys.ts'
import { runApp } from '../support/running-app.ts'

test('KEY_INVALID: a key that is unknown or malformed is 401, wherever it stands', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  const unknown = `svk_aaaaaaaaaaaaaaaa_${ECHO_MARKER.padEnd(43, 'x')}`
  for (const headers of [
    { Authorization: `Bearer ${unknown}` },
    { 'X-SVC-Key': unknown },
    { 'X-SVC-Key': ECHO_MARKER },
  ]) {
    await assertCatalogError(
      app,
      { method: 'GET', target: '/api/v1/status', headers },
      {
        code: 'KEY_INVALID',
        status: 401,
        retryable: false,
        wwwAuthenticate: 'Bearer error="invalid_token"',
        cors: true,
      },
    )
  }
})
