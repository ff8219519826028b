import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('METHOD_NOT_ALLOWED: a wrong method on a known route is 405 with Allow', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'PUT', target: '/api/v1/status' },
    {
      code: 'METHOD_NOT_ALLOWED',
      status: 405,
      retryable: false,
      allow: 'GET, HEAD, OPTIONS',
      cors: true,
    },
  )
})
