import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseJson } from '@public-api/contract/json/parse-json'

test('parses JSON text and bytes to the same value', () => {
  for (const value of [null, false, 0, 'ü', [1], { a: { b: [] } }]) {
    const text = JSON.stringify(value)
    assert.deepEqual(parseJson(text), value)
    assert.deepEqual(parseJson(new TextEncoder().encode(text)), value)
  }
})

test('returns undefined for text that is not JSON', () => {
  for (const text of ['', 'undefined', '{', '{"a":1}}', "{'a':1}", 'NaN', '[1,]']) {
    assert.equal(parseJson(text), undefined, text)
    assert.equal(parseJson(new TextEncoder().encode(text)), undefined, text)
  }
  // Invalid UTF-8 in a text that is JSON otherwise.
  assert.equal(parseJson(Uint8Array.of(0x22, 0xfc, 0x22)), undefined)
})
