import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('CONSENT_REQUIRED: a registration without consent is 400', async (t) => {
  const bodies = [
    { email: `${ECHO_MARKER}@example.org`, challengeToken: 'test-pass' },
    { ...GOOD_BODY, consent: false },
    { ...GOOD_BODY, consent: null },
    { ...GOOD_BODY, consent: 1 },
    { ...GOOD_BODY, consent: 'true' },
    { ...GOOD_BODY, consent: ECHO_MARKER },
    { ...GOOD_BODY, consent: [true] },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'CONSENT_REQUIRED', status: 400, retryable: false },
  )
})
