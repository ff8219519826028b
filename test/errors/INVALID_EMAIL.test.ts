import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_EMAIL: a body without a valid address is 400', async (t) => {
  const bodies = [
    { consent: true, challengeToken: 'test-pass' },
    { ...GOOD_BODY, email: null },
    { ...GOOD_BODY, email: [ECHO_MARKER] },
    { ...GOOD_BODY, email: '' },
    { ...GOOD_BODY, email: ECHO_MARKER },
    { ...GOOD_BODY, email: `${ECHO_MARKER}@localhost` },
    { ...GOOD_BODY, email: `${ECHO_MARKER}@127.0.0.1` },
    { ...GOOD_BODY, email: `${ECHO_MARKER}@xn--a.example` },
    { ...GOOD_BODY, email: `${ECHO_MARKER} <reader@example.org>` },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_EMAIL', status: 400, retryable: false },
  )
})
