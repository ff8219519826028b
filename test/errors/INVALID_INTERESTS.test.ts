import { test } from 'node:test'
import { ApiError } from '../../src/contract/api-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

// Registration has no store yet: a handler in its place throws the code, which proves the row's form on the wire.
test('INVALID_INTERESTS: an unknown area of interest is 400', async (t) => {
  const register = () => {
    throw new ApiError('INVALID_INTERESTS')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/json' },
      body: '{"email":"reader@example.org","interests":["gardening"]}',
    },
    { code: 'INVALID_INTERESTS', status: 400, retryable: false, cors: false },
  )
})
