import { test } from 'node:test'
import { ApiError } from '../../src/contract/api-error.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runApp } from '../support/running-app.ts'

// Registration has no store yet: a handler in its place throws the code, which proves the row's form on the wire.
test('RATE_LIMITED: too many requests are 429 and told when to come back', async (t) => {
  const register = () => {
    throw new ApiError('RATE_LIMITED', { retryAfterSeconds: 17 })
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    {
      method: 'POST',
      target: '/api/v1/early-access/register',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    },
    { code: 'RATE_LIMITED', status: 429, retryable: true, retryAfterSeconds: 17, cors: false },
  )
})

test('RATE_LIMITED: where nobody knows what is left of the window, the wait is a whole one', async (t) => {
  const register = () => {
    throw new ApiError('RATE_LIMITED')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(
    app,
    { method: 'POST', target: '/api/v1/early-access/register' },
    { code: 'RATE_LIMITED', status: 429, retryable: true, retryAfterSeconds: 60, cors: false },
  )
})
