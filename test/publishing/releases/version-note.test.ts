import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { noteOfChanges, noteOfRollback } from '../../../src/publishing/releases/version-note.ts'

type Status = SnapshotData<'status'>

const AT = '2026-02-03T04:05:06Z'
const UPDATES = [{ at: AT, state: 'investigating', text: 'Ada looks.' }] as const
const NAMES = ['Read API', 'Archive', 'Forecast model', 'Tide gauges']

const incident = (change: Partial<Status['incidents'][number]> = {}) =>
  ({
    id: 'ask-ada',
    title: 'Ask Ada',
    state: 'investigating',
    impact: 'minor',
    startedAt: AT,
    components: ['c0'],
    updates: UPDATES,
    ...change,
  }) as const

const status = (incidents: Status['incidents'], names = NAMES): Status => ({
  state: 'operational',
  summary: 'Ada sums up.',
  updatedAt: AT,
  components: names.map((name, nth) => ({
    id: `c${nth}`,
    name,
    summary: 'Ada serves.',
    state: 'operational',
    since: AT,
  })),
  incidents,
})

const planned = {
  ...incident(),
  state: 'in_progress',
  startsAt: AT,
  endsAt: AT,
  updates: [],
} as const

const changed = (...names: readonly string[]) => names.map((resource) => ({ resource }))
const many = Array.from({ length: 40 }, (_, nth) => `c${nth}`)

test('the notes that commands make name kinds, components and states', () => {
  const calm = status([])
  for (const [before, after, names, expected] of [
    [calm, status([incident()]), ['status'], 'Incident on Read API: investigating'],
    [
      status([incident()]),
      status([incident({ state: 'resolved', components: ['c0', 'c1', 'c3'] })]),
      ['status', 'site/translations/th'],
      'Incident on Read API, Archive and Tide gauges: resolved',
    ],
    [status([incident({ components: [] })]), calm, ['status'], 'Incident: removed'],
    // The component went with its incident.
    [status([incident()]), status([], []), ['status'], 'Incident on Read API: removed'],
    [
      calm,
      { ...calm, maintenances: [planned] },
      ['queue', 'roadmap', 'status'],
      'Maintenance on Read API: in progress; Changed: queue and roadmap',
    ],
    [calm, status([], ['Ada']), ['status'], 'Changed: status'],
    [calm, calm, ['site/translations/th'], 'Changed: site/translations/th'],
    [calm, calm, [], 'Registry version'],
  ] as const) {
    assert.equal(noteOfChanges(before, after, changed(...names)), expected)
  }
  assert.equal(noteOfRollback('VS-0004', undefined), 'Rolled back to VS-0004')
  assert.equal(
    noteOfRollback('VS-0004', ['status', 'queue']),
    'Rolled back to VS-0004: status and queue',
  )
})

test('a note has room for the longest names of any number of incidents', () => {
  const names = many.map((id) => `${id} ${'x'.repeat(196)}`)
  const incidents = many.map((id) => incident({ id, components: many }))
  const note = noteOfChanges(status([], names), status(incidents, names), changed('status'))
  assert.ok(note.length <= 500, `${note.length}`)
  assert.match(note, /^Incident on c0 x+ and 39 more: investigating; 39 more$/)
})
