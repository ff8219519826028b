import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('PREVIEW_NOT_ENABLED: the preview namespace is 403', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/preview/next' },
    { code: 'PREVIEW_NOT_ENABLED', status: 403, retryable: false, cors: true },
  )
})
