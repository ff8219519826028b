import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import { createPayload, createCanonicalPayload } from '../../../src/service/releases/payload.ts'
import { ANY_CODE_POINT } from '../../support/any-text.ts'

/** The entity tag as decisions 3.1 describe it, by another implementation of RFC 8785. */
function etagOf(value: unknown): string {
  const text = canonicalize(value) ?? ''
  return `W/"${createHash('sha256').update(text, 'utf8').digest('base64url')}"`
}

const objects = fc.dictionary(
  fc.string({ unit: 'grapheme' }),
  fc.jsonValue({ stringUnit: ANY_CODE_POINT }),
)

test('the ETag is that of the canonical text in UTF-8', () => {
  fc.assert(
    fc.property(objects, (value) => {
      const payload = createPayload(value)
      assert.equal(payload.json, canonicalize(value))
      assert.equal(payload.etag, etagOf(value))
    }),
  )
})

test('does not hash the same text twice', () => {
  const digest = 'd'.repeat(43)
  assert.equal(createCanonicalPayload('{"é":1}', digest).etag, `W/"${digest}"`)
  assert.equal(createCanonicalPayload('{"é":1}').etag, etagOf({ é: 1 }))
})

test('refuses a value that JSON cannot represent', () => {
  assert.throws(() => createPayload({ at: Number.NaN }), TypeError)
  assert.throws(() => createPayload({ text: '\ud800' }), TypeError)
})
