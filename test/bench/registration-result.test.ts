import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  summarize,
  type Block,
  type ListSample,
  type RegistrationSamples,
} from '../../bench/registration-result.ts'

function block(cpuMicros: number, medianMs: number): Block {
  return { cpuMicros, latencyMs: { median: medianMs, p95: medianMs * 2 }, rate: 1000 / medianMs }
}

interface Costs {
  readonly newMs?: number
  readonly newMicros?: number
  readonly knownMicros?: number
}

/** A sample whose two blocks of each kind lie evenly around what is given. */
function sample({ newMs = 1, newMicros = 100, knownMicros = 100 }: Costs): ListSample {
  const kinds = {
    unknown: [block(newMicros - 10, newMs * 0.9), block(newMicros + 10, newMs * 1.1)],
    known: [block(knownMicros + 10, newMs), block(knownMicros - 10, newMs)],
  }
  return { alone: kinds, together: kinds, refusedMs: 0.1, insertMs: 0.2 }
}

function samplesOf(samples: RegistrationSamples['samples']): RegistrationSamples {
  return {
    requests: 400,
    connections: 16,
    sealedBytes: 456,
    isInMemory: false,
    samples,
    floor: samples[0]?.samples.map(() => ({ alone: block(50, 0.3), together: block(40, 3) })) ?? [],
  }
}

test('a long list is compared with the empty one of the same round', () => {
  // The machine is three times slower in the second round, and the long list is 1.4 times slower than the empty one.
  const { lists, rounds } = summarize(
    samplesOf([
      { rows: 0, samples: [sample({ newMs: 1 }), sample({ newMs: 3 })] },
      { rows: 1000, samples: [sample({ newMs: 1.4 }), sample({ newMs: 4.2 })] },
    ]),
  )
  assert.equal(rounds, 2)
  assert.deepEqual(
    lists.map(({ rows, ratio }) => [rows, Number(ratio.median.toFixed(6))]),
    [
      [0, 1],
      [1000, 1.4],
    ],
  )
  assert.deepEqual(
    lists.map(({ isMet }) => isMet),
    [true, true],
  )
  assert.equal(lists[1]?.latencyMs.lowest.toFixed(6), '1.400000')
  assert.equal(lists[1]?.latencyMs.highest.toFixed(6), '4.200000')
  assert.equal(lists[1]?.p95Ms.lowest.toFixed(6), '2.800000')
})

test('one and a half times the empty list is the most that a long one may take', () => {
  const isMet = (newMs: number) =>
    summarize(
      samplesOf([
        { rows: 0, samples: [sample({ newMs: 1 })] },
        { rows: 1_000_000, samples: [sample({ newMs })] },
      ]),
    ).lists.map((list) => list.isMet)
  assert.deepEqual(isMet(1.5), [true, true])
  assert.deepEqual(isMet(1.51), [true, false])
})

test('a known address may cost up to 5 % more or less than a new one', () => {
  const isMet = (knownMicros: number) =>
    summarize(samplesOf([{ rows: 0, samples: [sample({ knownMicros })] }])).likeness.map((each) => [
      each.connections,
      each.isMet,
    ])
  for (const knownMicros of [95.1, 100, 104.9]) {
    assert.deepEqual(isMet(knownMicros), [
      [1, true],
      [16, true],
    ])
  }
  for (const knownMicros of [94.9, 105.1]) {
    assert.deepEqual(isMet(knownMicros), [
      [1, false],
      [16, false],
    ])
  }
})

test('one disturbed round does not decide', () => {
  const rounds = [sample({}), sample({ newMs: 9, knownMicros: 900 }), sample({})]
  const { lists, likeness } = summarize(
    samplesOf([
      { rows: 0, samples: [sample({}), sample({}), sample({})] },
      { rows: 1000, samples: rounds },
    ]),
  )
  assert.equal(lists[1]?.isMet, true)
  assert.equal(lists[1]?.ratio.highest.toFixed(6), '9.000000')
  assert.deepEqual(
    likeness.map(({ isMet }) => isMet),
    [true, true, true, true],
  )
})

test('the floor and the parts stand beside the shortest list', () => {
  const { shares } = summarize(
    samplesOf([
      { rows: 0, samples: [sample({ newMs: 2 })] },
      { rows: 1000, samples: [sample({ newMs: 2.5 })] },
    ]),
  )
  assert.deepEqual(
    shares.map(({ latencyMs }) => Number(latencyMs.median.toFixed(6))),
    [2, 0.1, 0.2, 0.3],
  )
  assert.deepEqual(
    shares.map(({ requestsPerSecond }) => requestsPerSecond === undefined),
    [false, true, true, false],
  )
})

test('no list at all is refused', () => {
  assert.throws(() => summarize(samplesOf([])), RangeError)
})
