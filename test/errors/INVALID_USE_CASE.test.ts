import { test } from 'node:test'
import { LIMITS } from '@public-api/contract/registry/limits'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_USE_CASE: 400 for a use case that is not a string or is too long', async (t) => {
  const bodies = [
    { ...GOOD_BODY, useCase: null },
    { ...GOOD_BODY, useCase: 1 },
    { ...GOOD_BODY, useCase: [ECHO_MARKER] },
    { ...GOOD_BODY, useCase: `${ECHO_MARKER}${'x'.repeat(LIMITS.maxUseCaseCodePoints)}` },
    { ...GOOD_BODY, useCase: 'ก'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
    { ...GOOD_BODY, useCase: '字'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
    { ...GOOD_BODY, useCase: '😀'.repeat(LIMITS.maxUseCaseCodePoints + 1) },
    { ...GOOD_BODY, useCase: `${ECHO_MARKER}\ud800` },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_USE_CASE', status: 400, retryable: false },
  )
})
