import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError } from '@public-api/client-internal/connection'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { isOutage } from '../../src/browser/outage.ts'

function refused(code: 'UNSIGNED' | 'DIGEST', status: number): VerificationError {
  const error = new VerificationError(code, 'Made by a test.')
  error.response = { method: 'GET', target: '/', status, headers: [], body: new Uint8Array() }
  return error
}

test('an outage is what a proxy says without a signature; every other response is accused', () => {
  assert.ok(isOutage(new ConnectionError('https://api.example.test/', undefined)))
  for (const status of [429, 500, 502, 503]) assert.ok(isOutage(refused('UNSIGNED', status)))
  for (const status of [200, 304, 404]) assert.ok(!isOutage(refused('UNSIGNED', status)))
  assert.ok(!isOutage(refused('DIGEST', 502)))
})
