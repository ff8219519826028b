import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { costTables, type SubjectId } from '../../bench/cost.ts'
import { writeOrganization } from '../../bench/organization.ts'
import {
  exitCodeOf,
  formatTable,
  linesOf,
  missedTargets,
  targetsOf,
  type BenchReport,
  type Table,
} from '../../bench/report.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { makeDeployment } from '../support/deployment.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function reportOf(tables: readonly Table[], quick = false): BenchReport {
  return { quick, facts: [], tables }
}

/** What each target was found to be. */
function verdictsOf(tables: readonly Table[]): readonly (readonly [string, boolean])[] {
  return targetsOf(tables).map(({ found, isMet }) => [found, isMet])
}

/** The machine is twice as slow in the second round. */
const ROUNDS = [1, 2, 1] as const

function costOf(micros: { readonly [Id in SubjectId]?: number }): readonly Table[] {
  const sample = (cpuMicros: number) => ({ cpuMicros, rate: 1e6 / cpuMicros, busy: 0.97 })
  return costTables(2000, 40_000, (id) =>
    ROUNDS.map((factor) => sample(factor * (micros[id] ?? 100))),
  )
}

test('compares costs within their round and includes the bound itself', () => {
  assert.deepEqual(
    verdictsOf(costOf({ service: 105, 'fastify-crypto': 175, 'not-modified': 105 })),
    [
      ['0.60', true],
      ['1.05', true],
      ['1.00', true],
    ],
  )
  assert.deepEqual(
    verdictsOf(costOf({ service: 106, 'fastify-crypto': 170, 'not-modified': 107 })),
    [
      ['0.62', false],
      ['1.06', false],
      ['1.01', false],
    ],
  )
})

test('names each missed target; a full run then fails and a quick one does not', () => {
  const tables = costOf({ service: 100, 'fastify-crypto': 100 })
  assert.deepEqual(missedTargets(reportOf(tables)), [
    'CPU time: service / Fastify 5 with node:crypto: found 1.00, expected at most 0.60',
  ])
  assert.equal(exitCodeOf(reportOf(tables)), 1)
  assert.equal(exitCodeOf(reportOf(tables, true)), 0)
  assert.equal(exitCodeOf(reportOf(costOf({ service: 50, 'not-modified': 50 }))), 0)
  assert.equal(exitCodeOf(reportOf([])), 0)
})

test('every row of every table has as many cells as its heading', () => {
  const tables = costOf({})
  for (const table of tables) {
    const [heading, ...rows] = linesOf(table)
    for (const row of rows) assert.equal(row.length, heading?.length, table.title)
    assert.equal(formatTable(table).split('\n').length, table.rows.length + 4)
  }
})

test('an organization is a chain that the service accepts, with every incident', (t) => {
  const { releasesDir } = makeDeployment(t)
  const folder = path.join(temporaryFolder(t), 'organization')
  writeOrganization(releasesDir, folder, { versions: 12, incidents: 3 })
  const { headSnapshotId, faults, resource } = loadReleases(openReleaseStore(folder))
  assert.equal(headSnapshotId, 'VS-0012')
  assert.deepEqual(faults, [])
  const { incidents } = JSON.parse(resource('status')?.json ?? '') as SnapshotData<'status'>
  assert.deepEqual(
    incidents.map(({ id, state, updates }) => [id, state, updates.length]),
    [2, 1, 0].map((nth) => [`slow-answers-${nth}`, 'resolved', 3]),
  )
})
