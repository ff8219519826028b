import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { formatFieldPath } from '../../../src/publishing/rules/content-mistake.ts'
import { checkStatus } from '../../../src/publishing/rules/status-rules.ts'

type Status = SnapshotData<'status'>
type Incident = Status['incidents'][number]
type Maintenance = NonNullable<Status['maintenances']>[number]

const AT = '2026-03-01T08:00:00Z'
const LATER = '2026-03-01T09:00:00Z'

const component = (id: string, parts: Partial<Status['components'][number]> = {}) => ({
  id,
  name: id,
  summary: 'A part.',
  state: 'operational' as const,
  since: AT,
  ...parts,
})

const incident = (parts: Partial<Incident> = {}): Incident => ({
  id: 'an-incident',
  title: 'An incident',
  state: 'investigating',
  impact: 'critical',
  startedAt: AT,
  components: ['api'],
  updates: [{ at: AT, state: parts.state ?? 'investigating', text: 'It began.' }],
  ...parts,
})

const maintenance = (parts: Partial<Maintenance> = {}): Maintenance => ({
  id: 'a-maintenance',
  title: 'A maintenance',
  state: 'scheduled',
  startsAt: '2026-04-01T08:00:00Z',
  endsAt: '2026-04-01T09:00:00Z',
  components: ['api'],
  updates: [{ at: AT, state: parts.state ?? 'scheduled', text: 'It is planned.' }],
  ...parts,
})

const status = (parts: Partial<Status> = {}): Status => ({
  state: 'operational',
  summary: 'Everything works.',
  updatedAt: LATER,
  components: [component('api'), component('archive')],
  incidents: [],
  ...parts,
})

const down = { state: 'major_outage' as const }
const partial = { state: 'partial_outage' as const }
const inMaintenance = { state: 'maintenance' as const }

const CASES: readonly (readonly [name: string, data: Status, ...faults: readonly RegExp[]])[] = [
  ['nothing happens', status()],
  [
    'a critical incident beside components that all work',
    status({ incidents: [incident()] }),
    /^incidents\[0\]\.components: components that are all operational, at least one whose state is worse than operational, because the impact is critical and the state is investigating$/,
  ],
  [
    'a major incident without components',
    status({ incidents: [incident({ impact: 'major', state: 'identified', components: [] })] }),
    /^incidents\[0\]\.components: no component, /,
  ],
  [
    'a minor incident beside components that all work',
    status({ incidents: [incident({ impact: 'minor' })] }),
  ],
  [
    'a critical incident that is watched',
    status({ incidents: [incident({ state: 'monitoring' })] }),
  ],
  [
    'a critical incident with its component down',
    status({
      ...partial,
      components: [component('api', down), component('archive')],
      incidents: [incident()],
    }),
  ],
  [
    'a component that is down without an incident',
    status({ ...partial, components: [component('api', down), component('archive')] }),
    /^components\[0\]\.state: "major_outage" without an incident, an open incident that names api, a note with the reason, or operational$/,
  ],
  [
    'a component that is down, and a resolved incident',
    status({
      ...partial,
      components: [component('api', down), component('archive')],
      incidents: [incident({ state: 'resolved', resolvedAt: LATER })],
    }),
    /^components\[0\]\.state: /,
  ],
  [
    'a component that is down, with a note',
    status({
      ...partial,
      components: [component('api', { ...down, note: 'It moves.' }), component('archive')],
    }),
  ],
  [
    'an update newer than the review',
    status({ updatedAt: '2026-03-01T07:59:59Z', maintenances: [maintenance()] }),
    /^updatedAt: 2026-03-01T07:59:59Z, 2026-03-01T08:00:00Z or later, the time of the newest update$/,
  ],
  [
    'a headline worse than every component, without an incident',
    status({ state: 'degraded' }),
    /^state: "degraded", operational or better, or an open incident: /,
  ],
  [
    'a headline worse than every component, with an open incident',
    status({ state: 'degraded', incidents: [incident({ impact: 'minor' })] }),
  ],
  [
    'an update before its incident began',
    status({ incidents: [incident({ impact: 'minor', startedAt: '2026-03-01T08:00:01Z' })] }),
    /^incidents\[0\]\.updates\[0\]\.at: 2026-03-01T08:00:00Z, 2026-03-01T08:00:01Z or later, /,
  ],
  ['a planned maintenance', status({ maintenances: [maintenance()] })],
  [
    'a component in maintenance while none runs',
    status({
      ...inMaintenance,
      components: [component('api', inMaintenance), component('archive')],
      maintenances: [maintenance()],
    }),
    /^components\[0\]\.state: "maintenance" without a maintenance, a maintenance in progress that names api, or another state$/,
  ],
  [
    'a component in maintenance while one runs',
    status({
      ...inMaintenance,
      components: [component('api', inMaintenance), component('archive')],
      maintenances: [maintenance({ state: 'in_progress' })],
    }),
  ],
  [
    'a maintenance that ends as it starts',
    status({ maintenances: [maintenance({ endsAt: '2026-04-01T08:00:00Z' })] }),
    /^maintenances\[0\]\.endsAt: "2026-04-01T08:00:00Z", a timestamp after 2026-04-01T08:00:00Z$/,
  ],
  [
    'maintenances with the oldest first',
    status({
      maintenances: [
        maintenance({ id: 'a' }),
        maintenance({ id: 'b', startsAt: '2026-05-01T08:00:00Z', endsAt: '2026-05-01T09:00:00Z' }),
      ],
    }),
    /^maintenances\[1\]\.startsAt: .*the newest comes first$/,
  ],
  [
    'a maintenance whose newest update has another state',
    status({ maintenances: [{ ...maintenance(), state: 'completed' }] }),
    /^maintenances\[0\]\.state: "completed", scheduled, the state of its newest update$/,
  ],
  [
    'a maintenance of an unknown component',
    status({ maintenances: [maintenance({ components: ['archiv'] })] }),
    /^maintenances\[0\]\.components\[0\]: a reference to "archiv", .*archive/,
  ],
]

for (const [name, data, ...expected] of CASES) {
  test(name, () => {
    const faults = Array.from(
      checkStatus(data),
      (each) => `${formatFieldPath(each.path)}: ${each.found}, ${each.expected}`,
    )
    assert.equal(faults.length, expected.length, faults.join('\n'))
    for (const [index, pattern] of expected.entries()) assert.match(faults[index] ?? '', pattern)
  })
}
