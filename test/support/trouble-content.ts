import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { DAY_MS } from '@public-api/contract/text/instant'

type Status = SnapshotData<'status'>
type Component = Status['components'][number]
type Incident = Status['incidents'][number]
type Maintenance = NonNullable<Status['maintenances']>[number]

/** The time of the trouble: an incident has been open for two hours and forty minutes. */
export const TROUBLE_NOW_MS = Date.parse('2026-11-26T03:40:00Z')

/** An instant some minutes before the trouble. */
export function minutesAgo(minutes: number): string {
  return new Date(TROUBLE_NOW_MS - minutes * 60_000).toISOString().replace('.000Z', 'Z')
}

const component = (id: string, name: string, state: Component['state'], since: string) => ({
  id,
  name,
  summary: `What ${name} does for its callers, in one sentence.`,
  state,
  since,
})

const CALM = '2026-01-05T00:00:00Z'

/** Critical, open, with two updates. */
export const OPEN_INCIDENT: Incident = {
  id: 'database-down',
  title: 'Payments fail in every region',
  state: 'identified',
  impact: 'critical',
  startedAt: minutesAgo(160),
  components: ['payments', 'reports'],
  updates: [
    {
      at: minutesAgo(40),
      state: 'identified',
      text: 'The primary database lost its disks. We are moving to the standby and expect payments to work again within the hour. See https://status.example.test/42 for details.',
    },
    {
      at: minutesAgo(150),
      state: 'investigating',
      text: 'Payments fail. We are looking into it.',
    },
  ],
}

/** Starts at 18:00 UTC, which is the next day in Bangkok. */
export const PLANNED_MAINTENANCE: Maintenance = {
  id: 'network-upgrade',
  title: 'Network upgrade',
  state: 'scheduled',
  startsAt: '2026-11-27T18:00:00Z',
  endsAt: '2026-11-27T20:30:00Z',
  components: ['payments'],
  updates: [
    { at: minutesAgo(4000), state: 'scheduled', text: 'Requests may fail for a few seconds.' },
  ],
}

/** An organization with an open critical incident and a planned maintenance. */
export const OUTAGE_STATUS: Status = {
  state: 'major_outage',
  summary: 'Payments fail in every region. Reading still works.',
  updatedAt: minutesAgo(40),
  components: [
    component('reads', 'Read API', 'operational', CALM),
    component('reports', 'Reports', 'degraded', minutesAgo(150)),
    component('payments', 'Payments', 'major_outage', minutesAgo(160)),
    component('webhooks', 'Webhooks', 'operational', CALM),
  ],
  incidents: [OPEN_INCIDENT],
  maintenances: [PLANNED_MAINTENANCE],
}

const IMPACTS = ['minor', 'major', 'none', 'critical'] as const

/** About what an operator writes in an update. */
const SENTENCES =
  'Some responses came late, and a few did not come at all. We moved traffic to the second region and are watching it. '

/** A resolved incident with three updates; `nth` counts back in time, two days apart. */
export function pastIncident(nth: number, componentId: string): Incident {
  const startMs = TROUBLE_NOW_MS - nth * 2 * DAY_MS
  const at = (minutes: number): string => new Date(startMs + minutes * 60_000).toISOString()
  return {
    id: `late-responses-${nth}`,
    title: `Late responses in the second region (${nth})`,
    state: 'resolved',
    impact: IMPACTS[nth % IMPACTS.length] ?? 'minor',
    startedAt: at(0),
    resolvedAt: at(95),
    components: [componentId],
    updates: [
      { at: at(95), state: 'resolved', text: `It is over. ${SENTENCES}` },
      { at: at(40), state: 'identified', text: SENTENCES.repeat(2) },
      { at: at(10), state: 'investigating', text: SENTENCES },
    ],
  }
}

/** The outage among 24 components, with many incidents behind it. */
export function longStatus(incidents = 50): Status {
  const others = Array.from({ length: 20 }, (_, index) =>
    component(`service-${index + 1}`, `Service number ${index + 1}`, 'operational', CALM),
  )
  return {
    ...OUTAGE_STATUS,
    components: [...OUTAGE_STATUS.components, ...others],
    incidents: [
      OPEN_INCIDENT,
      ...Array.from({ length: incidents - 1 }, (_, index) =>
        pastIncident(index + 1, `service-${(index % 20) + 1}`),
      ),
    ],
  }
}

/** Ordinary days: every component is operational, and the newest incident was a month ago. */
export const CALM_STATUS: Status = {
  state: 'operational',
  summary: 'All systems operational.',
  updatedAt: minutesAgo(4000),
  components: OUTAGE_STATUS.components.map((each) => ({
    ...each,
    state: 'operational',
    since: CALM,
  })),
  incidents: [pastIncident(15, 'payments')],
}
