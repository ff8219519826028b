import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { codingOf } from '../../src/pages/serving/content-coding.ts'

const CASES: readonly (readonly [acceptEncoding: string | undefined, coding: string])[] = [
  [undefined, 'identity'],
  ['', 'identity'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['br;q=0.1, gzip;q=1.0', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br ; q=0 , gzip ; q=0.5', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0, *;q=0.5', 'br'],
  ['zstd', 'identity'],
  ['identity', 'identity'],
  // Nothing is left: better the page than a 406.
  ['identity;q=0', 'identity'],
  // A weight of zero refuses the coding.
  ['br;q=much, gzip', 'gzip'],
]

for (const [acceptEncoding, coding] of CASES) {
  test(`Accept-Encoding ${acceptEncoding ?? 'left out'}: ${coding}`, () => {
    assert.equal(codingOf(acceptEncoding), coding)
    assert.equal(codingOf(acceptEncoding), coding, 'the second time, from memory')
  })
}

test('coding choice does not depend on earlier requests', () => {
  const seen = new Map<string, string>()
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      seen.set(text, codingOf(text))
    }),
    { numRuns: 300 },
  )
  for (const [text, coding] of seen) assert.equal(codingOf(text), coding)
  for (const [acceptEncoding, coding] of CASES) assert.equal(codingOf(acceptEncoding), coding)
})
