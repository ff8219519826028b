import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_JSON: a body that is not exactly one JSON text is 400', async (t) => {
  const good = JSON.stringify(GOOD_BODY)
  const bodies = [
    '',
    ' ',
    '{"email":',
    `{"email":"${ECHO_MARKER}`,
    `{email:"${ECHO_MARKER}"}`,
    `email=${ECHO_MARKER}`,
    `${good}${good}`,
    `${good},`,
    `${good} // ${ECHO_MARKER}`,
    `\ufeff${good}`,
    `\u0000${good}`,
    ECHO_MARKER,
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body })),
    { code: 'INVALID_JSON', status: 400, retryable: false },
  )
})
