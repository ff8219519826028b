import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

test('NOT_FOUND: an unknown route is 404', async (t) => {
  const app = await runApp(t)
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/nothing-here' },
    { code: 'NOT_FOUND', status: 404, retryable: false, cors: true },
  )
})
