import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { createKeyedHash } from '../../src/crypto/keyed-hash.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'

const SECRET = '0123456789abcdef0123456789abcdef'

test('the hash is HMAC-SHA256 of label, zero byte and text', () => {
  const expected = createHmac('sha256', SECRET).update('label-v1\0grüße@example.org').digest()
  const hash = createKeyedHash(SECRET, 'label-v1')
  assert.equal(expected.length, 32)
  assert.deepEqual(hash('grüße@example.org'), expected)
  assert.deepEqual(hash('grüße@example.org'), expected, 'a second time')
})

test('the hash never changes, since stored hashes depend on it', () => {
  // openssl: printf 'svc-address-v1\0ada@example.org' | openssl dgst -sha256 -hmac SECRET
  assert.equal(
    createKeyedHash(SECRET, 'svc-address-v1')('ada@example.org').toString('hex'),
    'a5310b65efe6adf6ca185d57f0bea17388849894546e1c26074217f4f8b13870',
  )
})

test("equals OpenSSL's HMAC-SHA256 for every secret and text, also beyond a block", () => {
  const secret = fc.string({ minLength: 1, maxLength: 200, unit: ANY_CODE_POINT })
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 300, unit: ANY_CODE_POINT }), (key, text) => {
      const expected = createHmac('sha256', key).update(`label\0${text}`).digest()
      assert.deepEqual(createKeyedHash(key, 'label')(text), expected)
    }),
  )
  for (const length of [1, 63, 64, 65, 128]) {
    const key = 'k'.repeat(length)
    const expected = createHmac('sha256', key).update('label\0').digest()
    assert.deepEqual(createKeyedHash(key, 'label')(''), expected, `a secret of ${length} bytes`)
  }
})

test('a later hash does not change an earlier one', () => {
  const hash = createKeyedHash(SECRET, 'label-v1')
  const first = hash('one')
  const kept = Buffer.from(first)
  hash('two')
  assert.deepEqual(first, kept)
})

test('another secret, label or text gives another hash', () => {
  fc.assert(
    fc.property(
      fc.tuple(
        fc.stringMatching(/^[0-9a-f]{1,8}$/),
        fc.stringMatching(/^[a-z]{1,5}$/),
        fc.string(),
      ),
      fc.tuple(
        fc.stringMatching(/^[0-9a-f]{1,8}$/),
        fc.stringMatching(/^[a-z]{1,5}$/),
        fc.string(),
      ),
      ([secret, label, text], [otherSecret, otherLabel, otherText]) => {
        const isSame = secret === otherSecret && label === otherLabel && text === otherText
        const hash = createKeyedHash(secret, label)(text)
        assert.equal(hash.equals(createKeyedHash(otherSecret, otherLabel)(otherText)), isSame)
      },
    ),
  )
  // What label and text are together must not decide.
  const [one, two] = [createKeyedHash(SECRET, 'ab')('c'), createKeyedHash(SECRET, 'a')('bc')]
  assert.ok(!one.equals(two))
})

test('refuses an empty secret and an ambiguous label', () => {
  assert.throws(() => createKeyedHash('', 'label'), TypeError)
  assert.throws(() => createKeyedHash(SECRET, ''), TypeError)
  assert.throws(() => createKeyedHash(SECRET, 'a\0b'), TypeError)
})
