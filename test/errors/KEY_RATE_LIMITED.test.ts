import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp } from '../support/running-app.ts'

test('KEY_RATE_LIMITED: a key past its quota is 429 and tells when to come back', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/status', headers: { 'X-SVC-Key': FAKE_KEYS.spent } },
    {
      code: 'KEY_RATE_LIMITED',
      status: 429,
      retryable: true,
      retryAfterSeconds: 42,
      cors: true,
    },
  )
})
