import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../bench/cost.ts'
import { summarizeTiming } from '../../bench/key-timing-result.ts'
import { summarizeKeys, type KeySamples, type KeyStoreSamples } from '../../bench/keys-result.ts'

const sample = (cpuMicros: number): Sample => ({ cpuMicros, rate: 1e6 / cpuMicros, busy: 1 })
const samples = (...all: readonly number[]): readonly Sample[] => all.map(sample)

function storeOf(
  active: number,
  keyed: readonly Sample[],
  refused: readonly Sample[],
): KeyStoreSamples {
  const hitMicros = active === 0 ? null : 5
  return {
    active,
    dead: 0,
    keyed,
    refused,
    lookups: refused.map(() => ({ hitMicros, missMicros: 4 })),
  }
}

function samplesOf(anonymous: readonly Sample[], stores: readonly KeyStoreSamples[]): KeySamples {
  const timing = summarizeTiming({ active: 0, dead: 0 }, [
    { title: 'a', nanos: [1, 2] },
    { title: 'b', nanos: [1, 2] },
  ])
  return { connections: 16, requestsPerRound: 100, anonymous, stores, timing }
}

test('a read with a key is compared with one without in its round, and with one among the fewest keys', () => {
  // The machine is twice as slow in the second round.
  const { stores, rounds } = summarizeKeys(
    samplesOf(samples(40, 80), [
      storeOf(0, [], samples(50, 100)),
      storeOf(1000, samples(52, 104), samples(55, 110)),
      storeOf(10_000, samples(60, 120), samples(75, 150)),
    ]),
  )
  assert.equal(rounds, 2)
  assert.deepEqual(
    stores.map(({ keyed }) => keyed?.toAnonymous.ratio.median),
    [undefined, 1.3, 1.5],
  )
  assert.deepEqual(
    stores.map(({ keyed }) => keyed?.toFewest.ratio.median.toFixed(4)),
    [undefined, '1.0000', '1.1538'],
  )
  assert.deepEqual(
    stores.map(({ refused }) => refused.toFewest.ratio.median),
    [1, 1.1, 1.5],
  )
  assert.ok(stores.every(({ keyed }) => keyed?.toAnonymous.isMet !== false))
  assert.ok(stores.every(({ refused }) => refused.toFewest.isMet))
  assert.deepEqual(
    stores.map(({ hitMicros }) => hitMicros?.median),
    [undefined, 5, 5],
  )
})

test('one and a half times is the most that a key may cost, and that many keys may', () => {
  const { stores } = summarizeKeys(
    samplesOf(samples(40), [
      storeOf(0, [], samples(50)),
      storeOf(1000, samples(40), samples(75.1)),
      storeOf(10_000, samples(60.1), samples(50)),
    ]),
  )
  assert.deepEqual(
    stores.map(({ refused }) => refused.toFewest.isMet),
    [true, false, true],
  )
  assert.deepEqual(
    stores.map(({ keyed }) => [keyed?.toAnonymous.isMet, keyed?.toFewest.isMet]),
    [
      [undefined, undefined],
      [true, true],
      [false, false],
    ],
  )
})

test('no store at all is no result', () => {
  assert.throws(() => summarizeKeys(samplesOf([], [])), RangeError)
})
