import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionError, RedirectError } from '@public-api/client-internal/connection'
import { isOutage } from '@public-api/client-internal/outage'
import { VerificationError } from '@public-api/client-internal/verification-error'

type Header = readonly [name: string, value: string]

function refused(code: 'UNSIGNED' | 'DIGEST', status: number, ...headers: readonly Header[]) {
  const error = new VerificationError(code, 'Made by a test.')
  error.response = { method: 'GET', target: '/', status, headers, body: new Uint8Array() }
  return error
}

const lost = (cause: unknown) => new ConnectionError('https://api.example.test/', cause)
const SIGNATURE: Header = ['x-svc-signature', 'AAAA']

test('an outage is what a proxy says without a signature; every other response is accused', () => {
  assert.ok(isOutage(lost(undefined)))
  for (const status of [429, 500, 502, 503]) assert.ok(isOutage(refused('UNSIGNED', status)))
  // A proxy may add a digest.
  assert.ok(isOutage(refused('UNSIGNED', 503, ['Content-Digest', 'sha-256=:AAAA:'])))
  for (const status of [200, 304, 404]) assert.ok(!isOutage(refused('UNSIGNED', status)))
  assert.ok(!isOutage(refused('DIGEST', 502)))
  for (const header of [SIGNATURE, ['X-SVC-Signed-At', '2026-11-21T09:00:00.000Z']] as const) {
    assert.ok(!isOutage(refused('UNSIGNED', 503, header)), header[0])
  }
})

test('a redirect and a body above the limit are responses, also below the error of another fetch', () => {
  for (const cause of [new RedirectError('https://b.test/'), new RangeError('too large')]) {
    assert.ok(!isOutage(lost(cause)))
    assert.ok(!isOutage(lost(new Error('Made by a test.', { cause }))))
  }
})
