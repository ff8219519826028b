import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exitCodeOf, missedTargets, tablesOf, type BenchReport } from '../../bench/report.ts'

function spread(median: number) {
  return { median, lowest: median, highest: median }
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
  ])
  const verdicts = tablesOf(report).flatMap(({ rows }) => rows.flat())
  assert.equal(verdicts.filter((cell) => cell === 'not met').length, missedTargets(report).length)
  assert.equal(exitCodeOf(report), 1)
  const { cost, memory, start, ...bare } = report
  for (const part of [{ cost }, { memory }, { start }]) {
    assert.equal(exitCodeOf({ ...bare, ...(part as Partial<BenchReport>) }), 1)
  }
})

test('a quick run tells what it missed and exits with 0', () => {
  const report = { ...makeReport(false), quick: true }
  assert.equal(missedTargets(report).length, 4)
  assert.equal(exitCodeOf(report), 0)
})

test('what was not measured is not missed', () => {
  const { cost: _, start: __, ...rest } = makeReport(false)
  assert.equal(exitCodeOf({ ...rest, memory: null }), 0)
})
