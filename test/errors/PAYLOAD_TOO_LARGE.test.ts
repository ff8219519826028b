import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('PAYLOAD_TOO_LARGE: any body of 8193 bytes or more is 413', async (t) => {
  const bodies = [
    ' '.repeat(8193),
    JSON.stringify(GOOD_BODY).padEnd(8193),
    ECHO_MARKER.repeat(1000),
    // Fewer characters than the limit, but more bytes.
    'ก'.repeat(2731),
    ' '.repeat(1_000_000),
  ]
  await assertRegistrationsRefused(
    t,
    bodies.map((body) => ({ body })),
    { code: 'PAYLOAD_TOO_LARGE', status: 413, retryable: false },
  )
})
