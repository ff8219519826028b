import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('VERSION_NOT_FOUND: a version that was never published is 404', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/versions/VS-9999' },
    { code: 'VERSION_NOT_FOUND', status: 404, retryable: false, cors: true },
  )
})
