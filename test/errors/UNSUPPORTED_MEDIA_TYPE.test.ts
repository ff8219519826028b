import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('UNSUPPORTED_MEDIA_TYPE: 415 for a body that is not application/json or has a content coding', async (t) => {
  const body = JSON.stringify(GOOD_BODY)
  const descriptions: readonly { readonly [name: string]: string }[] = [
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'text/plain;charset=UTF-8' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=utf-16' },
    { 'Content-Type': `application/json; profile="${ECHO_MARKER}"` },
    { 'Content-Type': `application/${ECHO_MARKER}` },
    { 'Content-Encoding': 'gzip' },
    { 'Content-Encoding': ECHO_MARKER },
  ]
  await assertRegistrationsRefused(
    t,
    descriptions.map((headers) => ({ headers, body })),
    { code: 'UNSUPPORTED_MEDIA_TYPE', status: 415, retryable: false },
  )
})
