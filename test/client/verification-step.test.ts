import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  VERIFICATION_FAULTS,
  type VerificationFault,
} from '@public-api/client-source/verification-error'
import {
  signedAtOf,
  stepOfFault,
  stepsOfStatus,
  VERIFICATION_STEPS,
} from '@public-api/client-source/verification-step'

const SIGNED_AT = '2026-11-21T09:00:00.000Z'
const SIGNED = { status: 200, headers: { 'X-SVC-Signed-At': SIGNED_AT } }
const RENEWED = { status: 304, headers: { 'X-SVC-Revalidated': `${SIGNED_AT}; c2lnbmF0dXJl` } }

test('every code belongs to a verification step', () => {
  for (const code of Object.keys(VERIFICATION_FAULTS) as VerificationFault[]) {
    assert.ok(VERIFICATION_STEPS.includes(stepOfFault(code, SIGNED)), code)
  }
})

test('every code that a 304 can fail with belongs to one of its steps', () => {
  const codes = ['UNSIGNED', 'REVALIDATION', 'UNKNOWN_KEY', 'KEY_PERIOD', 'FUTURE'] as const
  for (const code of [...codes, 'STALE', 'ETAG'] as const) {
    assert.ok(stepsOfStatus(304).includes(stepOfFault(code, RENEWED)), code)
  }
  assert.equal(stepOfFault('REVALIDATION', RENEWED), 'signature')
  assert.equal(stepOfFault('REVALIDATION', SIGNED), 'freshness')
})

test('MALFORMED belongs to the time if it is unreadable, else to the body', () => {
  assert.equal(stepOfFault('MALFORMED', SIGNED), 'body')
  const unread = { status: 200, headers: { 'X-SVC-Signed-At': 'today' } }
  assert.equal(stepOfFault('MALFORMED', unread), 'freshness')
  const renewedToday = { status: 304, headers: { 'X-SVC-Revalidated': 'today; c2ln' } }
  assert.equal(stepOfFault('MALFORMED', renewedToday), 'freshness')
})

test('a 304 is signed when it renewed the response', () => {
  assert.equal(signedAtOf(SIGNED), SIGNED_AT)
  assert.equal(signedAtOf(RENEWED), SIGNED_AT)
  assert.equal(signedAtOf({ status: 304, headers: SIGNED.headers }), undefined)
})
