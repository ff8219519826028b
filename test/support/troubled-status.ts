import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'

const component = (
  id: string,
  state: SnapshotData<'status'>['components'][number]['state'],
  since = '2026-11-01T00:00:00Z',
) => ({ id, name: `Name of ${id}`, summary: `What ${id} does.`, state, since })

/** An outage with every state of components, incidents and maintenances. */
export const TROUBLED_STATUS: SnapshotData<'status'> = {
  state: 'major_outage',
  summary: 'Reads fail. The cause is known.',
  updatedAt: '2026-11-21T08:40:00Z',
  components: [
    component('read-api', 'major_outage', '2026-11-21T08:10:00Z'),
    component('pages', 'degraded'),
    component('feeds', 'partial_outage'),
    component('archive', 'maintenance'),
    component('log', 'operational'),
  ],
  maintenances: [
    {
      id: 'later',
      title: 'New disks',
      state: 'scheduled',
      startsAt: '2026-12-01T18:00:00Z',
      endsAt: '2026-12-01T20:00:00Z',
      components: ['pages'],
      updates: [{ at: '2026-11-20T08:00:00Z', state: 'scheduled', text: 'Pages will be slow.' }],
    },
    {
      id: 'now',
      title: 'The archive moves',
      state: 'in_progress',
      startsAt: '2026-11-21T08:00:00Z',
      endsAt: '2026-11-21T10:00:00Z',
      components: ['archive'],
      updates: [
        { at: '2026-11-21T08:00:00Z', state: 'in_progress', text: 'Begun.' },
        { at: '2026-11-19T08:00:00Z', state: 'scheduled', text: 'Planned.' },
      ],
    },
    {
      id: 'done',
      title: 'Certificates renewed',
      state: 'completed',
      startsAt: '2026-11-10T08:00:00Z',
      endsAt: '2026-11-10T09:00:00Z',
      components: [],
      updates: [{ at: '2026-11-10T08:50:00Z', state: 'completed', text: 'Done.' }],
    },
    {
      id: 'dropped',
      title: 'A migration that is not needed',
      state: 'cancelled',
      startsAt: '2026-11-09T08:00:00Z',
      endsAt: '2026-11-09T09:00:00Z',
      components: [],
      updates: [{ at: '2026-11-08T08:00:00Z', state: 'cancelled', text: 'Not needed.' }],
    },
  ],
  incidents: [
    {
      id: 'no-reads',
      title: 'Reads fail',
      state: 'identified',
      impact: 'critical',
      startedAt: '2026-11-21T08:10:00Z',
      components: ['read-api'],
      updates: [
        { at: '2026-11-21T08:40:00Z', state: 'identified', text: 'A full disk.' },
        { at: '2026-11-21T08:12:00Z', state: 'investigating', text: 'We are looking.' },
      ],
    },
    {
      id: 'slow-pages',
      title: 'Pages were slow',
      state: 'resolved',
      impact: 'minor',
      startedAt: '2026-11-02T08:00:00Z',
      resolvedAt: '2026-11-02T09:00:00Z',
      components: ['pages'],
      updates: [
        { at: '2026-11-02T09:00:00Z', state: 'resolved', text: 'Fast again.' },
        { at: '2026-11-02T08:30:00Z', state: 'monitoring', text: 'A cache was cleared.' },
        { at: '2026-11-02T08:05:00Z', state: 'investigating', text: 'We are looking.' },
      ],
    },
  ],
}
