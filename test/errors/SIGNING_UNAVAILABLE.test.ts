import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('SIGNING_UNAVAILABLE: without a signing key its document is 503 and responses are unsigned', async (t) => {
  const app = await runApp(t, { signing: undefined })
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/keys/signing-key' },
    {
      code: 'SIGNING_UNAVAILABLE',
      status: 503,
      retryable: true,
      cors: true,
      unsigned: true,
    },
  )
})
