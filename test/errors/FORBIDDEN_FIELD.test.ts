import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('FORBIDDEN_FIELD: a forbidden field is 400 in any spelling', async (t) => {
  const bodies = [
    { ...GOOD_BODY, password: ECHO_MARKER },
    { ...GOOD_BODY, API_KEY: ECHO_MARKER },
    { ...GOOD_BODY, 'seed-phrase': ECHO_MARKER },
    { ...GOOD_BODY, walletAddress: ECHO_MARKER },
    { ...GOOD_BODY, passport_number: ECHO_MARKER },
    { ...GOOD_BODY, cardNumber: ECHO_MARKER },
    { ...GOOD_BODY, Phone: ECHO_MARKER },
    { ...GOOD_BODY, ip: ECHO_MARKER },
    { ...GOOD_BODY, userAgent: null },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'FORBIDDEN_FIELD', status: 400, retryable: false },
  )
})
