import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_INPUT: 400 for a body that is not an object or has an unknown field', async (t) => {
  const bodies = [
    null,
    true,
    1,
    ECHO_MARKER,
    [],
    [GOOD_BODY],
    { ...GOOD_BODY, name: ECHO_MARKER },
    { ...GOOD_BODY, [ECHO_MARKER]: 1 },
    { ...GOOD_BODY, Email: 'reader@example.org' },
    { ...GOOD_BODY, constructor: ECHO_MARKER },
    { [ECHO_MARKER]: GOOD_BODY },
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body: JSON.stringify(body) })),
    { code: 'INVALID_INPUT', status: 400, retryable: false },
  )
})
