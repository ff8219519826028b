import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ERRORS, type CatalogError } from '@public-api/contract/errors/errors'
import { ENDPOINTS, errorsOf, ROUTE_ERRORS } from '@public-api/contract/registry/endpoints'
import { ERROR_SCHEMA } from '@public-api/contract/registry/schemas'

// The catalog of the specification (section 7), written out by hand: code, status, retryable, seconds to wait.
const PROMISED = `
INVALID_JSON             400 no
INVALID_INPUT            400 no
INVALID_EMAIL            400 no
FORBIDDEN_FIELD          400 no
INVALID_LOCALE           400 no
INVALID_INTERESTS        400 no
CONSENT_REQUIRED         400 no
INVALID_USE_CASE         400 no
INVALID_SESSION_ID       400 no
CHALLENGE_REQUIRED       400 no
CHALLENGE_FAILED         403 no
REQUEST_REJECTED         403 no
PREVIEW_NOT_ENABLED      403 no
NOT_FOUND                404 no
VERSION_NOT_FOUND        404 no
METHOD_NOT_ALLOWED       405 no
PAYLOAD_TOO_LARGE        413 no
UNSUPPORTED_MEDIA_TYPE   415 no
RATE_LIMITED             429 yes 60
SNAPSHOT_UNAVAILABLE     503 yes
REGISTRATION_UNAVAILABLE 503 yes
KEY_REQUIRED             401 no
KEY_INVALID              401 no
KEY_EXPIRED              401 no
KEY_RATE_LIMITED         429 yes 60
KEYS_UNAVAILABLE         503 yes
SIGNING_UNAVAILABLE      503 yes
DUPLICATE                200 no
`

const catalog: readonly (readonly [string, CatalogError])[] = Object.entries(ERRORS)

test('the catalog matches the specification: every code with status, retryable and wait', () => {
  assert.deepEqual(
    catalog
      .map(([code, { status, retryable, retryAfterSeconds }]) =>
        [code, status, retryable ? 'yes' : 'no', retryAfterSeconds ?? ''].join(' ').trim(),
      )
      .toSorted(),
    PROMISED.trim()
      .split('\n')
      .map((line) => line.split(/\s+/).join(' '))
      .toSorted(),
  )
})

test('endpoints and the router return exactly the codes of the catalog', () => {
  const answered = new Set<string>([
    ...Object.values(ENDPOINTS).flatMap((row) => errorsOf(row)),
    ...ROUTE_ERRORS,
  ])
  assert.deepEqual([...answered].toSorted(), Object.keys(ERRORS).toSorted())
})

test('every entry has its meaning and what to do, in one sentence each', () => {
  for (const [code, { meaning, message }] of catalog) {
    assert.match(meaning, /^[A-Z].*\.$/, code)
    assert.match(message, /^[A-Z].*\.$/, code)
    assert.notEqual(meaning, message, code)
  }
})

test('the schema of an error body names the codes of the catalog', () => {
  assert.deepEqual(ERROR_SCHEMA.properties.code.enum.toSorted(), Object.keys(ERRORS).toSorted())
})
