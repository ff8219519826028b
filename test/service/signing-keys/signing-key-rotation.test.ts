import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { derivePublicSigningKey, SigningKeyError } from '../../../src/crypto/signing-keys.ts'
import type { PublishedSigningKey } from '../../../src/service/signing-keys/signing-key-document.ts'
import {
  checkNewKey,
  MAX_PUBLISHED_KEYS,
  promoteNextKey,
  retireKey,
} from '../../../src/service/signing-keys/signing-key-rotation.ts'

const NOW = '2026-06-01T12:00:00.000Z'
const NOW_MS = Date.parse(NOW)
const HOUR_MS = 3_600_000

function signingKey(
  status: PublishedSigningKey['status'],
  notBefore: string | null = null,
  notAfter: string | null = null,
): PublishedSigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { ...derivePublicSigningKey(privateKey), status, notBefore, notAfter }
}

function messageFrom(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    assert.ok(error instanceof SigningKeyError)
    return error.message
  }
  return ''
}

test('refuses a new key while another is announced or at the published maximum', () => {
  const current = signingKey('current')
  const next = signingKey('next')
  const period = { notBefore: null, notAfter: null }
  assert.equal(
    messageFrom(() => checkNewKey([current], period, NOW_MS)),
    '',
  )
  assert.match(
    messageFrom(() => checkNewKey([current, next], period, NOW_MS)),
    new RegExp(next.keyId),
  )
  const many = Array.from({ length: MAX_PUBLISHED_KEYS }, () => signingKey('retired'))
  assert.match(
    messageFrom(() => checkNewKey(many, period, NOW_MS)),
    /at most 64 published keys/,
  )
})

test('a new key needs a valid, unexpired period without a gap after the current key', () => {
  const current = signingKey('current', null, '2026-07-01T00:00:00Z')
  const check = (notBefore: string | null, notAfter: string | null) =>
    messageFrom(() => checkNewKey([current], { notBefore, notAfter }, NOW_MS))
  assert.equal(check('2026-07-01T00:00:00Z', '2027-07-01T00:00:00Z'), '')
  assert.match(check('2026-07-01T00:00:01Z', null), /no later than 2026-07-01T00:00:00Z/)
  assert.match(check(null, NOW), /notAfter to be in the future/)
  assert.match(check('2026-06-20T00:00:00Z', '2026-06-20T00:00:00Z'), /earlier than notAfter/)
  const first = (notBefore: string) =>
    messageFrom(() => checkNewKey([], { notBefore, notAfter: null }, NOW_MS))
  assert.equal(first(NOW), '')
  assert.match(first('2026-06-01T12:00:01Z'), /first key to be in the past/)
})

test('a promotion makes the announced key current and ends the previous one after the overlap', () => {
  const [current, next, retired] = [
    signingKey('current'),
    signingKey('next'),
    signingKey('retired', null, '2026-01-01T00:00:00Z'),
  ]
  const keys = promoteNextKey([current, next, retired], NOW_MS, HOUR_MS)
  assert.deepEqual(keys, [
    { ...current, status: 'retired', notAfter: '2026-06-01T13:00:00.000Z' },
    { ...next, status: 'current', notBefore: NOW },
    retired,
  ])
})

test("a promotion never extends the previous key's period", () => {
  const early = '2026-06-01T12:30:00Z'
  const keys = promoteNextKey(
    [signingKey('current', null, early), signingKey('next')],
    NOW_MS,
    HOUR_MS,
  )
  assert.equal(keys[0]?.notAfter, early)
})

test('a promotion needs an announced key whose period includes now', () => {
  const promote = (...keys: PublishedSigningKey[]) =>
    messageFrom(() => promoteNextKey(keys, NOW_MS, HOUR_MS))
  assert.match(promote(signingKey('current')), /svc signing-key new/)
  assert.match(promote(signingKey('next', '2026-06-01T12:00:01Z')), /to be in the past/)
  assert.match(promote(signingKey('next', null, '2026-06-01T11:59:59Z')), /in the future/)
  assert.equal(promote(signingKey('next', NOW)), '')
})

test('withdraws an announced key, ends a retired key only earlier, and keeps the current key', () => {
  const current = signingKey('current')
  const next = signingKey('next', '2027-01-01T00:00:00Z')
  const retired = signingKey('retired', '2026-01-01T00:00:00Z', '2026-06-02T00:00:00Z')
  const keys = [current, next, retired]
  assert.deepEqual(retireKey(keys, next.keyId, NOW), [current, retired])
  assert.deepEqual(retireKey(keys, retired.keyId, NOW), [
    current,
    next,
    { ...retired, notAfter: NOW },
  ])
  const retire = (keyId: string, end: string) => messageFrom(() => retireKey(keys, keyId, end))
  assert.match(retire(retired.keyId, '2026-06-02T00:00:01Z'), /no later than the published/)
  assert.match(
    retire(retired.keyId, '2026-01-01T00:00:00Z'),
    /notBefore to be earlier than notAfter, found 2026-01-01T00:00:00Z and/,
  )
  assert.match(retire(current.keyId, NOW), /promote another key first/)
  assert.match(retire(signingKey('next').keyId, NOW), /expected a published key/)
})
