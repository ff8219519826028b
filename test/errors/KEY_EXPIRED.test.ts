import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp } from '../support/running-app.ts'

test('KEY_EXPIRED: a key past its time is 401', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  await assertCatalogError(
    app,
    {
      method: 'GET',
      target: '/api/v1/status',
      headers: { Authorization: `Bearer ${FAKE_KEYS.expired}` },
    },
    {
      code: 'KEY_EXPIRED',
      status: 401,
      retryable: false,
      wwwAuthenticate: 'Bearer error="invalid_token"',
      cors: true,
    },
  )
})
