import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('REGISTRATION_UNAVAILABLE: the waitlist is 503 while it has no store', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/json' },
      body: '{"email":"reader@example.org","consent":true,"challengeToken":"solved"}',
    },
    { code: 'REGISTRATION_UNAVAILABLE', status: 503, retryable: true, cors: false },
  )
})
