import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { costReport, type SubjectId } from '../../bench/cost.ts'
import { appendVersions } from '../../bench/history-fixture.ts'
import { memoryReport } from '../../bench/memory.ts'
import { pagesReport } from '../../bench/pages.ts'
import { registrationReport, type Block, type WaitlistSample } from '../../bench/registration.ts'
import {
  exitCodeOf,
  factsOf,
  formatMarkdownTable,
  linesOf,
  missedTargets,
  tablesOf,
  targetsOf,
  type BenchReport,
  type PartReport,
} from '../../bench/report.ts'
import { startReport } from '../../bench/start.ts'
import { verificationReport } from '../../bench/verification.ts'
import { loadReleases } from '../../src/service/releases.ts'
import { openReleaseStore } from '../../src/storage/release-store.ts'
import { makeDeployment } from '../support/deployment.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function reportOf(parts: BenchReport['parts'], quick = false): BenchReport {
  const machine = { processors: 'one', node: 'v26', nodeOptions: [], placement: 'free' }
  return { date: '2026-01-01', quick, machine, parts }
}

/** What each target was found to be. */
function verdictsOf({ tables }: PartReport): readonly (readonly [string, boolean])[] {
  return targetsOf(tables).map(({ found, isMet }) => [found, isMet])
}

/** The machine is twice as slow in the second round. */
const ROUNDS = [1, 2, 1] as const

function costOf(micros: { readonly [Id in SubjectId]?: number }): PartReport {
  const sample = (cpuMicros: number) => ({ cpuMicros, rate: 1e6 / cpuMicros, busy: 0.97 })
  const facts = { bodyBytes: 2000, requestsPerRound: 40_000 }
  return costReport(facts, (id) => ROUNDS.map((factor) => sample(factor * (micros[id] ?? 100))))
}

function block(cpuMicros: number, medianMs: number): Block {
  return { cpuMicros, latencyMs: { median: medianMs, p95: medianMs * 2 }, rate: 1000 / medianMs }
}

/** A sample whose two blocks of each kind are centered on the given figures. */
function waitlistSample({ newMs = 1, knownMicros = 100 }): WaitlistSample {
  const kinds = {
    unknown: [block(90, newMs * 0.9), block(110, newMs * 1.1)],
    known: [block(knownMicros + 10, newMs), block(knownMicros - 10, newMs)],
  }
  return { sequential: kinds, concurrent: kinds }
}

function registrationOf(...waitlists: readonly (readonly WaitlistSample[])[]): PartReport {
  return registrationReport(
    400,
    waitlists.map((samples, index) => ({ rows: index * 1000, samples })),
  )
}

function pagesOf(service: number, bare: number): PartReport {
  const samples = (rate: number) =>
    ROUNDS.map((factor) => ({ rate: rate / factor, cpuMicros: (factor * 1e6) / rate }))
  const page = { target: '/en', coding: 'br', bodyBytes: 2000 }
  return pagesReport(20_000, [
    { ...page, samples: { service: samples(service), bare: samples(bare) } },
  ])
}

function verificationOf(client: number, ...seconds: readonly number[]): PartReport {
  const sample = (clientMicros: number, cryptographyMicros: number) => ({
    clientMicros,
    cryptographyMicros,
  })
  const short = ROUNDS.map((factor) => sample(factor * client, factor * 100))
  return verificationReport(
    8000,
    [
      { target: '/short', bodyBytes: 1800, samples: short },
      { target: '/long', bodyBytes: 200_000, samples: [sample(4000, 200)] },
    ],
    seconds.map((each) => ({ versions: 10_000, seconds: each, cpuSeconds: each })),
  )
}

test('compares costs within their round and includes the bound itself', () => {
  assert.deepEqual(
    verdictsOf(costOf({ service: 115, 'fastify-crypto': 200, 'not-modified': 115 })),
    [
      ['0.57', true],
      ['1.15', true],
      ['1.00', true],
    ],
  )
  assert.deepEqual(
    verdictsOf(costOf({ service: 116, 'fastify-crypto': 190, 'not-modified': 117 })),
    [
      ['0.61', false],
      ['1.16', false],
      ['1.01', false],
    ],
  )
})

test('judges memory after the start and its growth under load', () => {
  const readings = (last: number) => [
    { requests: 1000, megabytes: 125 },
    { requests: 2000, megabytes: last },
  ]
  const met = verdictsOf(memoryReport(120, readings(130)))
  assert.deepEqual(met, [
    ['120.0 MB', true],
    ['5.0 MB', true],
  ])
  const missed = verdictsOf(memoryReport(120.1, readings(130.1)))
  assert.deepEqual(missed, [
    ['120.1 MB', false],
    ['5.1 MB', false],
  ])
})

test('judges the median start', () => {
  assert.deepEqual(verdictsOf(startReport([3000, 900, 1000])), [['1,000 ms', true]])
  assert.deepEqual(verdictsOf(startReport([1001, 100, 3000])), [['1,001 ms', false]])
})

test('compares a long waitlist with the empty one of the same round', () => {
  const empty = [waitlistSample({ newMs: 1 }), waitlistSample({ newMs: 3 })]
  const long = (factor: number) => [
    waitlistSample({ newMs: factor }),
    waitlistSample({ newMs: 3 * factor }),
  ]
  assert.deepEqual(verdictsOf(registrationOf(empty, long(1.5))).slice(0, 2), [
    ['1.00', true],
    ['1.50', true],
  ])
  assert.deepEqual(verdictsOf(registrationOf(empty, long(1.51)))[1], ['1.51', false])
})

test('allows a known address to cost up to 5 % more or less than a new one', () => {
  for (const [knownMicros, isMet] of [
    [94.9, false],
    [95.1, true],
    [104.9, true],
    [105.1, false],
  ] as const) {
    const [, sequential, concurrent] = verdictsOf(registrationOf([waitlistSample({ knownMicros })]))
    assert.deepEqual([sequential?.[1], concurrent?.[1]], [isMet, isMet], String(knownMicros))
  }
})

test('one disturbed round does not decide', () => {
  const calm = waitlistSample({})
  const disturbed = waitlistSample({ newMs: 9, knownMicros: 900 })
  const report = registrationOf([calm, calm, calm], [calm, disturbed, calm])
  assert.ok(targetsOf(report.tables).every(({ isMet }) => isMet))
})

test('rejects samples of no waitlist round', () => {
  assert.throws(() => registrationOf([]), RangeError)
})

test('compares the rate of a page with bare node:http', () => {
  assert.deepEqual(verdictsOf(pagesOf(40_000, 50_000)), [['0.80', true]])
  assert.deepEqual(verdictsOf(pagesOf(39_000, 50_000)), [['0.78', false]])
})

test('judges the verification of the first response and an audit of 10,000 versions', () => {
  assert.deepEqual(verdictsOf(verificationOf(130, 9, 2.9, 2.8)), [
    ['1.30', true],
    ['2.90', true],
  ])
  assert.deepEqual(verdictsOf(verificationOf(131, 3.1, 2.9, 9)), [
    ['1.31', false],
    ['3.10', false],
  ])
  const short = [
    { target: '/short', bodyBytes: 1, samples: [{ clientMicros: 1, cryptographyMicros: 1 }] },
  ]
  const quick = verificationReport(1, short, [{ versions: 2000, seconds: 9, cpuSeconds: 9 }])
  assert.equal(targetsOf(quick.tables).length, 1)
})

test('names each missed target; a full run then fails and a quick one does not', () => {
  const parts = { start: startReport([2000]), pages: pagesOf(10_000, 50_000) }
  assert.deepEqual(missedTargets(reportOf(parts)), [
    'time to the first response: found 2,000 ms, expected at most 1,000 ms',
    'the rate of /en in br, relative to bare node:http: found 0.20, expected at least 0.80',
  ])
  assert.equal(exitCodeOf(reportOf(parts)), 1)
  assert.equal(exitCodeOf(reportOf(parts, true)), 0)
  assert.equal(exitCodeOf(reportOf({ start: startReport([200]) })), 0)
  assert.equal(exitCodeOf(reportOf({})), 0)
})

test('every row of every table has as many cells as its heading', () => {
  const cost = costOf({})
  const registration = registrationOf([waitlistSample({})])
  const parts = { cost, registration, verification: verificationOf(1, 1), pages: pagesOf(1, 1) }
  const report = reportOf({ ...parts, memory: memoryReport(1, []), start: startReport([1]) })
  for (const table of tablesOf(report)) {
    const [heading, ...rows] = linesOf(table)
    for (const row of rows) assert.equal(row.length, heading?.length, table.title)
    assert.equal(formatMarkdownTable(table).split('\n').length, table.rows.length + 4)
  }
})

test('facts include the notes of the parts', () => {
  const part = { tables: [], notes: ['Memory was not measured.'] }
  assert.ok(factsOf(reportOf({ memory: part })).includes('Memory was not measured.'))
})

test('the history fixture is a chain that the service accepts', (t) => {
  const { releasesDir } = makeDeployment(t)
  const folder = path.join(temporaryFolder(t), 'history')
  appendVersions(releasesDir, folder, 12)
  const { headSnapshotId, faults, snapshot } = loadReleases(openReleaseStore(folder))
  assert.equal(headSnapshotId, 'VS-0012')
  assert.deepEqual(faults, [])
  const source = loadReleases(openReleaseStore(releasesDir))
  assert.equal(snapshot('roadmap')?.json, source.snapshot('roadmap')?.json)
  const status = JSON.parse(source.snapshot('status')?.json ?? '') as object
  assert.deepEqual(JSON.parse(snapshot('status')?.json ?? ''), { ...status, sequence: 12 })
})
