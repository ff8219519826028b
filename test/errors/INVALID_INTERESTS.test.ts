import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_INTERESTS: interests other than a list of distinct known values are 400', async (t) => {
  const bodies = [
    { ...GOOD_BODY, interests: null },
    { ...GOOD_BODY, interests: 'api' },
    { ...GOOD_BODY, interests: { 0: 'api' } },
    { ...GOOD_BODY, interests: [ECHO_MARKER] },
    { ...GOOD_BODY, interests: ['api', null] },
    { ...GOOD_BODY, interests: ['api', 'API'] },
    { ...GOOD_BODY, interests: ['api', 'research', 'api'] },
    { ...GOOD_BODY, interests: Array.from({ length: 11 }, () => 'api') },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_INTERESTS', status: 400, retryable: false },
  )
})
