import { test } from 'node:test'
import { ApiError } from '../../src/contract/api-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

// Registration has no store yet: a handler in its place throws the code, which proves the row's form on the wire.
test('PAYLOAD_TOO_LARGE: a body of 8193 bytes is 413', async (t) => {
  const register = () => {
    throw new ApiError('PAYLOAD_TOO_LARGE')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/json' },
      body: ' '.repeat(8193),
    },
    { code: 'PAYLOAD_TOO_LARGE', status: 413, retryable: false, cors: false },
  )
})
