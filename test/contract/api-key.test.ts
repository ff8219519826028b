import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  API_KEY_FORMAT,
  API_KEY_ID_PATTERN,
  formatApiKey,
  apiKeyIdOf,
  sliceKeyId,
} from '@public-api/contract/keys/api-key'
import * as fc from 'fast-check'

const ID = '0123456789abcdef'
const SECRET = 'A_-z0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ_a'

test('a key is split by position, even if its secret contains underscores', () => {
  assert.equal(SECRET.length, 43)
  assert.equal(apiKeyIdOf(formatApiKey(ID, SECRET)), ID)
  assert.equal(apiKeyIdOf(formatApiKey(ID, '_'.repeat(43))), ID)
})

test("a key has the contract's format", () => {
  assert.equal(API_KEY_FORMAT, 'svk_<keyId>_<secret>')
  assert.equal(formatApiKey(ID, SECRET), `svk_${ID}_${SECRET}`)
})

test("finds the key ID's position in any text", () => {
  assert.equal(sliceKeyId(formatApiKey(ID, SECRET)), ID)
  assert.equal(sliceKeyId(`SVK-${ID.toUpperCase()}`), ID.toUpperCase())
  assert.equal(sliceKeyId('svk_0'), '0')
  assert.equal(sliceKeyId(''), '')
})

test('parses every formatted key', () => {
  const hex = fc.string({
    unit: fc.constantFrom(...Array.from('0123456789abcdef')),
    minLength: 16,
    maxLength: 16,
  })
  const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
  fc.assert(
    fc.property(hex, secret, (keyId, bytes) => {
      const key = formatApiKey(keyId, Buffer.from(bytes).toString('base64url'))
      assert.equal(apiKeyIdOf(key), keyId)
      assert.match(keyId, new RegExp(API_KEY_ID_PATTERN))
    }),
  )
})

for (const [what, key] of [
  ['nothing', ''],
  ['another prefix', `sk_${ID}_${SECRET}`],
  ['capitals in the prefix', `SVK_${ID}_${SECRET}`],
  ['capitals in the key ID', `svk_${ID.toUpperCase()}_${SECRET}`],
  ['a key ID that is too short', `svk_${ID.slice(1)}_${SECRET}`],
  ['a key ID that is too long', `svk_${ID}0_${SECRET}`],
  ['a secret that is too short', `svk_${ID}_${SECRET.slice(1)}`],
  ['a secret that is too long', `svk_${ID}_${SECRET}A`],
  ['base64 that is not for URLs', `svk_${ID}_${'+'.repeat(43)}`],
  ['a line break at the end', `svk_${ID}_${SECRET}\n`],
  ['space before it', ` svk_${ID}_${SECRET}`],
  ['another separator', `svk_${ID}-${SECRET}`],
] as const) {
  test(`no key: ${what}`, () => {
    assert.equal(apiKeyIdOf(key), undefined)
  })
}
