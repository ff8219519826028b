import assert from 'node:assert/strict'
import { test } from 'node:test'
import { summarizeTiming } from '../../bench/key-timing-result.ts'

const COUNTS = { active: 10, dead: 20 }

/** Evenly spread around a middle, then some very slow ones. */
function timesAround(middle: number, slow: readonly number[] = []): readonly number[] {
  return [...Array.from({ length: 1000 }, (_, index) => middle + (index % 101) - 50), ...slow]
}

test('classes that take as long are not told apart', () => {
  const nanos = timesAround(1000, [90_000, 100_000])
  const { pairs, classes, requestsPerClass } = summarizeTiming(
    COUNTS,
    ['a', 'b', 'c', 'd'].map((title) => ({ title, nanos })),
  )
  assert.deepEqual(
    pairs.map(({ one, other }) => one + other),
    ['ab', 'ac', 'ad', 'bc', 'bd', 'cd'],
  )
  assert.ok(pairs.every(({ t, croppedT, isMet }) => t === 0 && croppedT === 0 && isMet))
  assert.equal(requestsPerClass, 1002)
  assert.deepEqual(
    classes.map(({ croppedRequests, medianNanos }) => [croppedRequests < 1000, medianNanos]),
    Array.from({ length: 4 }, () => [true, 1000]),
  )
})

test('a difference that a few slow requests hide shows without them', () => {
  const { pairs } = summarizeTiming(COUNTS, [
    { title: 'a', nanos: timesAround(1000, [900_000, 5_000_000]) },
    { title: 'b', nanos: timesAround(1020, [900_000, 5_000_000]) },
  ])
  assert.equal(pairs.length, 1)
  assert.ok(Math.abs(pairs[0]?.t ?? Number.NaN) < 4.5)
  assert.ok((pairs[0]?.croppedT ?? Number.NaN) < -4.5)
  assert.ok((pairs[0]?.differenceNanos ?? Number.NaN) < 0)
  assert.equal(pairs[0]?.isMet, false)
})

test('a difference that only the slow requests have counts as well', () => {
  const slow = (nanos: number) => Array.from({ length: 50 }, () => nanos)
  const { pairs } = summarizeTiming(COUNTS, [
    { title: 'a', nanos: timesAround(1000, slow(50_000)) },
    { title: 'b', nanos: timesAround(1000, slow(1000)) },
  ])
  assert.ok((pairs[0]?.t ?? Number.NaN) > 4.5)
  assert.equal(pairs[0]?.isMet, false)
})
