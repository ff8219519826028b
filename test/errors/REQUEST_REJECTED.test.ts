import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test("REQUEST_REJECTED: a registration from another site's page is 403", async (t) => {
  const body = JSON.stringify(GOOD_BODY)
  const senders: readonly { readonly [name: string]: string }[] = [
    { Origin: 'https://other.example' },
    { Origin: 'null' },
    { Origin: ECHO_MARKER },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'http://127.0.0.1:8080', 'Sec-Fetch-Site': 'cross-site' },
    { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-origin' },
  ]
  await assertRegistrationsRefused(
    t,
    senders.map((headers) => ({ headers, body })),
    { code: 'REQUEST_REJECTED', status: 403, retryable: false },
  )
})
