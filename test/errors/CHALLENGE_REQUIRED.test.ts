import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('CHALLENGE_REQUIRED: a registration without a challenge token is 400', async (t) => {
  const bodies = [
    { email: `${ECHO_MARKER}@example.org`, consent: true },
    { ...GOOD_BODY, challengeToken: '' },
    { ...GOOD_BODY, challengeToken: null },
    { ...GOOD_BODY, challengeToken: false },
    { ...GOOD_BODY, challengeToken: [ECHO_MARKER] },
    { ...GOOD_BODY, challengeToken: { token: ECHO_MARKER } },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'CHALLENGE_REQUIRED', status: 400, retryable: false },
  )
})
