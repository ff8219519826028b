import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_SESSION_ID: a session ID is 400 with any value in any spelling', async (t) => {
  const bodies = [
    { ...GOOD_BODY, sessionId: ECHO_MARKER },
    { ...GOOD_BODY, sessionId: null },
    { ...GOOD_BODY, sessionId: '' },
    { ...GOOD_BODY, session_id: ECHO_MARKER },
    { ...GOOD_BODY, 'SESSION-ID': ECHO_MARKER },
    { ...GOOD_BODY, sessionid: 1 },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_SESSION_ID', status: 400, retryable: false },
  )
})
