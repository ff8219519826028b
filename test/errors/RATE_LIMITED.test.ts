import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { LIMITS } from '@public-api/contract/registry/limits'
import { assertCatalogError } from '../support/catalog-error.ts'
import { GOOD_BODY, REGISTER, runRegisteringApp } from '../support/registering-app.ts'
import { runApp } from '../support/running-app.ts'

const TRIGGER = {
  method: 'POST',
  target: REGISTER,
  headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' },
  body: JSON.stringify(GOOD_BODY),
} as const

test('RATE_LIMITED: 429 with Retry-After for a request of one actor beyond its limit within a minute', async (t) => {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < LIMITS.registrationPerActor.requests; count += 1) {
    await app.register({}, { 'X-Forwarded-For': '192.0.2.1' })
  }
  for (const [laterMs, retryAfterSeconds] of [
    [0, 60],
    [1, 60],
    [999, 59],
    [42_000, 17],
    [16_999, 1],
  ] as const) {
    app.clock.ms += laterMs
    await assertCatalogError(app, TRIGGER, {
      code: 'RATE_LIMITED',
      status: 429,
      retryable: true,
      retryAfterSeconds,
      cors: false,
    })
  }
  app.clock.ms += 1
  const response = await app.register(GOOD_BODY, { 'X-Forwarded-For': '192.0.2.1' })
  assert.equal(response.status, 200)
})

test('RATE_LIMITED: 429 for a request beyond the limit of all actors together', async (t) => {
  const app = await runRegisteringApp(t)
  for (let count = 0; count < LIMITS.registrationGlobal.requests; count += 1) {
    const response = await app.register({})
    assert.equal(response.status, 400)
  }
  app.clock.ms += 30_000
  await assertCatalogError(app, TRIGGER, {
    code: 'RATE_LIMITED',
    status: 429,
    retryable: true,
    retryAfterSeconds: 30,
    cors: false,
  })
})

test('RATE_LIMITED: Retry-After is a whole window if the remaining time is unknown', async (t) => {
  const register = () => {
    throw new ApiError('RATE_LIMITED')
  }
  const app = await runApp(t, { extraHandlers: { register } })
  await assertCatalogError(app, TRIGGER, {
    code: 'RATE_LIMITED',
    status: 429,
    retryable: true,
    retryAfterSeconds: 60,
    cors: false,
  })
})
