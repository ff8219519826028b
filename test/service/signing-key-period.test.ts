import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeInPeriod } from '../../src/service/signing-key-period.ts'

test('the moments that the dates of a key name belong to its time, and no date is no bound', () => {
  const notBefore = '2026-06-01T00:00:00Z'
  const notAfter = '2026-07-01T00:00:00Z'
  const places = [
    Date.parse(notBefore) - 1,
    Date.parse(notBefore),
    Date.parse(notAfter),
    Date.parse(notAfter) + 1,
  ].map((atMs) => [
    placeInPeriod({ notBefore, notAfter }, atMs),
    placeInPeriod({ notBefore: null, notAfter: null }, atMs),
  ])
  assert.deepEqual(places, [
    ['before', 'within'],
    ['within', 'within'],
    ['within', 'within'],
    ['after', 'within'],
  ])
})
