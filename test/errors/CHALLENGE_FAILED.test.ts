import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('CHALLENGE_FAILED: a failed challenge is 403', async (t) => {
  const bodies = [
    { ...GOOD_BODY, challengeToken: ECHO_MARKER },
    { ...GOOD_BODY, challengeToken: 'Test-Pass' },
    { ...GOOD_BODY, challengeToken: ' test-pass' },
    { ...GOOD_BODY, challengeToken: 'test-pass\n' },
    { ...GOOD_BODY, challengeToken: '\ud800' },
    { ...GOOD_BODY, challengeToken: 'x'.repeat(8000) },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'CHALLENGE_FAILED', status: 403, retryable: false },
  )
})
