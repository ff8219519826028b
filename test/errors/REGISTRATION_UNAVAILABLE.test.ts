import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChallengeUnavailableError } from '../../src/service/challenge/challenge.ts'
import {
  STORAGE_FAILURES,
  StorageError,
  type StorageFailure,
} from '../../src/storage/stores/storage-error.ts'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationError } from '../support/refused-registration.ts'
import { GOOD_BODY, runRegisteringApp } from '../support/registering-app.ts'
import { createUnavailableWaitlist } from '../support/unavailable-service.ts'
import { UNSOLVABLE_CHALLENGE } from '../support/unsolvable-challenge.ts'

const EXPECTED = { code: 'REGISTRATION_UNAVAILABLE', status: 503, retryable: true } as const
const BODY = JSON.stringify({ ...GOOD_BODY, email: `${ECHO_MARKER}@example.org` })

test('REGISTRATION_UNAVAILABLE: a failing store is 503', async (t) => {
  const problems: readonly unknown[] = [
    ...Object.keys(STORAGE_FAILURES).map(
      (code) => new StorageError(code as StorageFailure, 'service.sqlite'),
    ),
    new Error('an unexpected error'),
  ]
  let failures = 0
  let problem: unknown
  const app = await runRegisteringApp(t, {
    store: (storage) => ({
      ...storage,
      waitlist: {
        ...storage.waitlist,
        add() {
          failures += 1
          return Promise.reject(problem)
        },
      },
    }),
  })
  for (problem of problems) {
    await assertRegistrationError(app, { body: BODY }, EXPECTED)
  }
  assert.equal(failures, problems.length)
  assert.deepEqual(await app.entries(), [])
})

test('REGISTRATION_UNAVAILABLE: 503 if the challenge cannot be verified', async (t) => {
  const app = await runRegisteringApp(t, {
    challenge: () => ({
      ...UNSOLVABLE_CHALLENGE,
      verify: () => Promise.reject(new ChallengeUnavailableError('the provider gave no response')),
    }),
  })
  await assertRegistrationError(app, { body: BODY }, EXPECTED)
  assert.deepEqual(await app.entries(), [])
})

test('REGISTRATION_UNAVAILABLE: 503 without a store', async (t) => {
  const app = await runRegisteringApp(t, { parts: { waitlist: createUnavailableWaitlist() } })
  for (const body of [BODY, '{}', '{', '[]', '']) {
    await assertRegistrationError(app, { body }, EXPECTED)
  }
})
