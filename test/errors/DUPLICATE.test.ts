import { test } from 'node:test'
import { ApiError } from '../../src/contract/api-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

// Registration has no store yet: a handler in its place throws the code, which proves the row's form on the wire.
test('DUPLICATE: an address that is on the list already is 200 with the error envelope', async (t) => {
  const register = () => {
    throw new ApiError('DUPLICATE')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/json' },
      body: '{"email":"reader@example.org","consent":true,"challengeToken":"solved"}',
    },
    { code: 'DUPLICATE', status: 200, retryable: false, cors: false },
  )
})
