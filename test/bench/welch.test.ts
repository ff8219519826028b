import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { quantileOf, welchT } from '../../bench/welch.ts'

test("Welch's t of samples whose t is known", () => {
  // Means 3 and 6, variances 2.5 and 10, five of each: -3 / sqrt(0.5 + 2).
  assert.equal(welchT([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).toFixed(12), '-1.897366596101')
  // Of sizes that differ: means 2 and 5, variances 1 and 20/3: -3 / sqrt(1/3 + 5/3).
  assert.equal(welchT([1, 2, 3], [2, 4, 6, 8]).toFixed(12), '-2.121320343560')
  assert.equal(welchT([7, 9], [1, 3]).toFixed(12), (6 / Math.SQRT2).toFixed(12))
})

test('equal means are told from unequal ones also where nothing varies', () => {
  assert.equal(welchT([2, 2, 2], [2, 2]), 0)
  assert.equal(welchT([3, 3], [2, 2]), Number.POSITIVE_INFINITY)
  assert.equal(welchT([1, 1], [2, 2]), Number.NEGATIVE_INFINITY)
})

test('t changes its sign with the order, and stays when all is moved or stretched', () => {
  const sample = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 20 })
  fc.assert(
    fc.property(sample, sample, (one, other) => {
      const t = welchT(one, other)
      fc.pre(Number.isFinite(t))
      const moved = (values: readonly number[]) => values.map((value) => value * 8 + 64)
      assert.ok(Math.abs(t + welchT(other, one)) < 1e-9)
      assert.ok(Math.abs(t - welchT(moved(one), moved(other))) < 1e-6 * Math.max(1, Math.abs(t)))
    }),
  )
})

test('one number has no variance', () => {
  assert.throws(() => welchT([1], [1, 2]), RangeError)
  assert.throws(() => welchT([1, 2], []), RangeError)
})

test('a quantile is the number that so many do not exceed', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
  assert.deepEqual(
    [0, 0.5, 0.95, 0.951, 1].map((share) => quantileOf(hundred, share)),
    [1, 50, 95, 96, 100],
  )
  assert.throws(() => quantileOf([], 0.5), RangeError)
})
