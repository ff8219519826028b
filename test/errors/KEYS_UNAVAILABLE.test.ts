import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { runApp } from '../support/running-app.ts'

test('KEYS_UNAVAILABLE: while issuance is paused nobody gets a key, whatever is sent', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/keys',
      headers: { 'Content-Type': 'application/json' },
      body: '{"challengeToken":"solved"}',
    },
    { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true, cors: false },
  )
})

test('KEYS_UNAVAILABLE: a key that cannot be checked is refused, not taken for anonymous', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/status', headers: { 'X-SVC-Key': FAKE_KEYS.good } },
    { code: 'KEYS_UNAVAILABLE', status: 503, retryable: true, cors: true },
  )
})
