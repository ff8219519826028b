import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('KEY_REQUIRED: keys/self without a key is 401 with a bare challenge', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/keys/self' },
    {
      code: 'KEY_REQUIRED',
      status: 401,
      retryable: false,
      wwwAuthenticate: 'Bearer',
      cors: true,
    },
  )
})
