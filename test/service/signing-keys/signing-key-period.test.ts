import assert from 'node:assert/strict'
import { test } from 'node:test'
import { periodStateOf } from '../../../src/service/signing-keys/signing-key-document.ts'

test('a period includes both ends, and a missing date is unbounded', () => {
  const notBefore = '2026-06-01T00:00:00Z'
  const notAfter = '2026-07-01T00:00:00Z'
  const places = [
    Date.parse(notBefore) - 1,
    Date.parse(notBefore),
    Date.parse(notAfter),
    Date.parse(notAfter) + 1,
  ].map((atMs) => [
    periodStateOf({ notBefore, notAfter }, atMs),
    periodStateOf({ notBefore: null, notAfter: null }, atMs),
  ])
  assert.deepEqual(places, [
    ['before', 'within'],
    ['within', 'within'],
    ['within', 'within'],
    ['after', 'within'],
  ])
})
