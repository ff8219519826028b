import { test } from 'node:test'
import { ECHO_MARKER } from '../support/catalog-error.ts'
import { assertRegistrationsRefused } from '../support/refused-registration.ts'
import { GOOD_BODY } from '../support/registering-app.ts'

test('UNSUPPORTED_MEDIA_TYPE: a body that is no application/json, or is coded, is 415', async (t) => {
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
