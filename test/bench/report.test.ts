import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeysResult } from '../../bench/keys-result.ts'
import type { RegistrationResult } from '../../bench/registration-result.ts'
import {
  exitCodeOf,
  factsOf,
  missedTargets,
  tablesOf,
  type BenchReport,
} from '../../bench/report.ts'
import { formatMarkdownTable } from '../../bench/table.ts'

function spread(median: number) {
  return { median, lowest: median, highest: median }
}

/** An empty list, on which nothing can be missed, and a long one. */
function makeRegistration(isMet: boolean): RegistrationResult {
  const list = {
    latencyMs: spread(1),
    p95Ms: spread(2),
    insertMs: spread(0.2),
    requestsPerSecond: spread(1500),
  }
  const kinds = {
    unknownMicros: spread(600),
    knownMicros: spread(601),
    unknownMs: spread(1),
    knownMs: spread(1),
  }
  const found = spread(isMet ? 1.05 : 1.051)
  return {
    rounds: 5,
    requests: 400,
    connections: 16,
    sealedBytes: 456,
    isInMemory: !isMet,
    lists: [
      { ...list, rows: 0, ratio: spread(1), isMet: true },
      { ...list, rows: 1_000_000, ratio: spread(isMet ? 1.5 : 1.51), isMet },
    ],
    growthTarget: 1.5,
    likeness: [
      { ...kinds, rows: 0, connections: 1, ratio: spread(1), isMet: true },
      { ...kinds, rows: 1_000_000, connections: 16, ratio: found, isMet },
    ],
    likenessTarget: 0.05,
    shares: [{ title: 'a registration', latencyMs: spread(1), requestsPerSecond: undefined }],
  }
}

/** Stores with no key and with many, and two kinds of refused keys. */
function makeKeys(isMet: boolean): KeysResult {
  const cost = { cpuMicros: spread(60), requestsPerSecond: spread(15_000) }
  const bounded = { ratio: spread(isMet ? 1.5 : 1.51), isMet }
  const first = { ratio: spread(1), isMet: true }
  const timed = { requests: 40_000, medianNanos: 90_000, meanNanos: 95_000 }
  const cropped = { croppedMeanNanos: 89_000, croppedRequests: 38_000 }
  const t = isMet ? 4.49 : -4.5
  return {
    connections: 16,
    rounds: 4,
    requestsPerRound: 15_000,
    anonymous: cost,
    keyedTarget: 1.5,
    growthTarget: 1.5,
    stores: [
      {
        active: 0,
        dead: 0,
        keyed: undefined,
        refused: { ...cost, toFewest: first },
        hitMicros: undefined,
        missMicros: spread(4),
      },
      {
        active: 10_000,
        dead: 1_000_000,
        keyed: { ...cost, toAnonymous: bounded, toFewest: first },
        refused: { ...cost, toFewest: bounded },
        hitMicros: spread(5),
        missMicros: spread(5),
      },
    ],
    timing: {
      active: 10_000,
      dead: 1_000_000,
      requestsPerClass: 40_000,
      keptShare: 0.95,
      classes: ['wrong', 'revoked'].map((title) => ({ title, ...timed, ...cropped })),
      pairs: [{ one: 'wrong', other: 'revoked', differenceNanos: -100, t: 1, croppedT: t, isMet }],
      target: 4.5,
    },
  }
}

/** A report in which every target was missed or every one met, the bound itself included. */
function makeReport(isMet: boolean): BenchReport {
  return {
    date: '2026-05-17',
    quick: false,
    machine: { processors: 'two of them', node: 'v26', nodeOptions: [], placement: 'side by side' },
    cost: {
      bodyBytes: 1000,
      connections: 16,
      rounds: 7,
      requestsPerRound: 40_000,
      subjects: [],
      ratios: [{ title: 'service to peer', ratio: spread(isMet ? 1.3 : 1.31), target: 1.3, isMet }],
    },
    memory: {
      afterStartMegabytes: isMet ? 120 : 120.1,
      afterStartTarget: 120,
      isAfterStartMet: isMet,
      underLoad: [],
      growthMegabytes: isMet ? 5 : 5.1,
      growthTarget: 5,
      isGrowthMet: isMet,
    },
    start: { firstAnswerMs: spread(isMet ? 700 : 1000), starts: 7, targetMs: 1000, isMet },
    registration: makeRegistration(isMet),
    keys: makeKeys(isMet),
    export: {
      rows: 1000,
      sealedPerSecond: 2000,
      rounds: 2,
      ways: [
        { title: 'ours', rows: 1000, rowsPerSecond: spread(3000), rowsPerCpuSecond: spread(2900) },
        { title: 'theirs', rows: 100, rowsPerSecond: spread(100), rowsPerCpuSecond: undefined },
      ],
      hasAgeProgram: isMet,
    },
  }
}

test('a full run that meets its targets exits with 0', () => {
  const report = makeReport(true)
  assert.deepEqual(missedTargets(report), [])
  assert.equal(exitCodeOf(report), 0)
})

test('a target that is missed is named, and a full run exits with 1', () => {
  const report = makeReport(false)
  assert.deepEqual(missedTargets(report), [
    'service to peer: found 1.31, expected at most 1.30',
    'memory after the start: found 120.1 MB, expected at most 120',
    'growth of the memory: found 5.1 MB, expected at most 5',
    'time to the first answer: found 1,000 ms, expected less than 1000',
    'a registration on a list of 1,000,000 rows, to one on an empty list: found 1.51, expected at most 1.50',
    'a known address to a new one, on a list of 1,000,000 rows, 16 connections: found 1.051, expected within 5 % of 1',
    'a read with a key to one without (10,000 active, 1,000,000 revoked or expired): found 1.51, expected at most 1.50',
    'an unknown key (10,000 active, 1,000,000 revoked or expired) to the same among fewest: found 1.51, expected at most 1.50',
    'telling wrong from revoked keys by time: found t of 1.00 and -4.50, expected within ±4.5',
  ])
  const verdicts = tablesOf(report).flatMap(({ rows }) => rows.flat())
  assert.equal(verdicts.filter((cell) => cell === 'not met').length, missedTargets(report).length)
  assert.equal(exitCodeOf(report), 1)
  const { cost, memory, start, registration, keys, ...bare } = report
  for (const part of [{ cost }, { memory }, { start }, { registration }, { keys }]) {
    assert.equal(exitCodeOf({ ...bare, ...(part as Partial<BenchReport>) }), 1)
  }
})

test('a quick run tells what it missed and exits with 0', () => {
  const report = { ...makeReport(false), quick: true }
  assert.equal(missedTargets(report).length, 9)
  assert.equal(exitCodeOf(report), 0)
})

test('what was not measured is not missed', () => {
  const { cost: _, start: __, registration: ___, keys: ____, ...rest } = makeReport(false)
  assert.equal(exitCodeOf({ ...rest, memory: null }), 0)
})

test('every row of every table has as many cells as its heading', () => {
  for (const table of tablesOf(makeReport(true))) {
    for (const row of table.rows) assert.equal(row.length, table.heading.length, table.title)
    const lines = formatMarkdownTable(table).split('\n')
    assert.equal(lines.length, table.rows.length + 4)
  }
})

test('what the figures of the waitlist rest on is told where it is not as expected', () => {
  const told = (isMet: boolean) =>
    factsOf(makeReport(isMet)).filter((fact) => /tmpfs|age program/.test(fact)).length
  assert.equal(told(true), 0)
  assert.equal(told(false), 2)
})
