import { test } from 'node:test'
import { ApiError } from '../../src/contract/api-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

// Registration has no store yet: a handler in its place throws the code, which proves the row's form on the wire.
test('UNSUPPORTED_MEDIA_TYPE: a body that is no application/json is 415', async (t) => {
  const register = () => {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'email=reader',
    },
    { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415, retryable: false, cors: false },
  )
})
