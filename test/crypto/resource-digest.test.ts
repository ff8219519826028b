import assert from 'node:assert/strict'
import { test } from 'node:test'
import { digestFault } from '../../src/crypto/resource-digest.ts'

// SHA-256 of no bytes at all, from FIPS 180-4's published examples.
const EMPTY = '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'

test('accepts a matching digest and reports a mismatch with both digests', () => {
  assert.equal(digestFault('', EMPTY), undefined)
  assert.match(
    digestFault(' ', EMPTY) ?? '',
    new RegExp(`^found the digest [\\w-]{43}, expected ${EMPTY}$`),
  )
})
