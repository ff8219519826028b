import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationError } from '../support/refused-registration.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'

test('DUPLICATE: a known address is 200 with the error envelope', async (t) => {
  const app = await runRegisteringApp(t)
  const first = await app.register({ ...GOOD_BODY, email: 'reader@bücher.example' })
  assert.equal(first.status, 200)
  const kept = await app.entries()
  assert.equal(kept.length, 1)
  for (const body of [
    { ...GOOD_BODY, email: 'reader@bücher.example' },
    { ...GOOD_BODY, email: ' READER@BÜCHER.example ' },
    { ...GOOD_BODY, email: 'reader@xn--bcher-kva.example' },
    { ...GOOD_BODY, email: 'reader@bücher.example', locale: 'th', useCase: ECHO_MARKER },
  ]) {
    await assertRegistrationError(
      app,
      { body: JSON.stringify(body) },
      { code: 'DUPLICATE', status: 200, retryable: false },
    )
  }
  assert.deepEqual(await app.entries(), kept)
})
