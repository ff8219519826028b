import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('INVALID_INPUT: a body that is no object, or holds an unknown field, is 400', async (t) => {
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
