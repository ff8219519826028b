import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { digestFault, sha256Base64, sha256Base64url, sha256Hex } from '../../src/crypto/sha256.ts'

test('the digests of RFC 9530 appendix A and FIPS 180-4', () => {
  assert.equal(sha256Hex('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  assert.equal(sha256Base64('{"hello": "world"}\n'), 'RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=')
})

test('the three encodings are of the same hash of the UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const bytes = createHash('sha256').update(Buffer.from(text, 'utf8')).digest()
      assert.equal(sha256Hex(text), bytes.toString('hex'))
      assert.equal(sha256Base64(text), bytes.toString('base64'))
      assert.equal(sha256Base64url(text), bytes.toString('base64url'))
    }),
  )
})

// SHA-256 of no bytes at all, from FIPS 180-4's published examples.
const EMPTY = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'

test('accepts a matching digest and reports a mismatch with both digests', () => {
  assert.equal(digestFault('', EMPTY), undefined)
  assert.match(
    digestFault(' ', EMPTY) ?? '',
    new RegExp(`^found the digest [\\w-]{43}, expected ${EMPTY}$`),
  )
})
