import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { releasesOf } from '../support/made-content.ts'
import { runApp } from '../support/running-app.ts'
import { TROUBLED_STATUS } from '../support/troubled-status.ts'

const BASE = '/statuspage/api/v2/'

async function documentsOf(t: test.TestContext, status: SnapshotData<'status'>) {
  const app = await runApp(t, {
    baseUrl: 'https://api.example.org',
    releases: releasesOf({ status }),
  })
  return async (name: string) => {
    const response = await app.fetch(BASE + name)
    return { response, body: (await response.json()) as { [member: string]: unknown } }
  }
}

test('the eight documents of Statuspage, version 2, follow from the published status', async (t) => {
  const read = await documentsOf(t, TROUBLED_STATUS)
  const { response, body: summary } = await read('summary.json')
  assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(response.headers.get('cache-control'), 'public, max-age=60')
  const etag = response.headers.get('etag') ?? ''
  assert.match(etag, /^"/)
  assert.equal(response.headers.get('x-svc-signature'), null)

  const page = summary['page'] as object
  assert.deepEqual(page, {
    id: 'svc.public.status',
    name: 'Public API',
    url: 'https://api.example.org',
    time_zone: 'Etc/UTC',
    updated_at: '2026-11-21T08:40:00.000Z',
  })
  assert.deepEqual(summary['status'], {
    indicator: 'critical',
    description: TROUBLED_STATUS.summary,
  })
  const components = summary['components'] as { id: string; status: string; position: number }[]
  assert.deepEqual(
    components.map(({ id, status, position }) => [id, status, position]),
    [
      ['read-api', 'major_outage', 1],
      ['pages', 'degraded_performance', 2],
      ['feeds', 'partial_outage', 3],
      ['archive', 'under_maintenance', 4],
      ['log', 'operational', 5],
    ],
  )
  assert.deepEqual((await read('components.json')).body, { page, components })
  assert.deepEqual((await read('status.json')).body, { page, status: summary['status'] })

  const idsIn = async (name: string, member: string) =>
    ((await read(name)).body[member] as { id: string }[]).map(({ id }) => id)
  const all = TROUBLED_STATUS.incidents.map(({ id }) => id)
  assert.deepEqual(await idsIn('incidents.json', 'incidents'), all)
  assert.deepEqual(await idsIn('incidents/unresolved.json', 'incidents'), ['no-reads'])
  assert.deepEqual(await idsIn('summary.json', 'incidents'), ['no-reads'])
  const planned = 'scheduled_maintenances'
  // The format has no word for a cancelled one.
  assert.deepEqual(await idsIn('scheduled-maintenances.json', planned), ['later', 'now', 'done'])
  assert.deepEqual(await idsIn('scheduled-maintenances/upcoming.json', planned), ['later'])
  assert.deepEqual(await idsIn('scheduled-maintenances/active.json', planned), ['now'])
  assert.deepEqual(await idsIn('summary.json', planned), ['now', 'later'])
})

test('more planned maintenances than are listed leave out those that start last', async (t) => {
  const [done] = TROUBLED_STATUS.maintenances?.filter(({ state }) => state === 'completed') ?? []
  assert.ok(done)
  // One that ended starts after all of them, as one does that was done early.
  const late = {
    ...done,
    id: 'early',
    startsAt: '2027-09-01T00:00:00Z',
    endsAt: '2027-09-02T00:00:00Z',
  }
  const planned = Array.from({ length: 60 }, (_, day) => {
    const startsAt = new Date(Date.UTC(2027, 0, 1 + day)).toISOString()
    const endsAt = new Date(Date.UTC(2027, 0, 2 + day)).toISOString()
    return { ...done, id: `day-${day}`, state: 'scheduled' as const, startsAt, endsAt }
  })
  const read = await documentsOf(t, { ...TROUBLED_STATUS, maintenances: [...planned, late] })
  const { body } = await read('scheduled-maintenances.json')
  const listed = body['scheduled_maintenances'] as { id: string }[]
  assert.deepEqual(
    listed.map(({ id }) => id),
    planned
      .slice(0, 50)
      .map(({ id }) => id)
      .toReversed(),
  )
})

test('a group is an entry before its first component, with the worst of their states', async (t) => {
  const group = 'Reading'
  const components = TROUBLED_STATUS.components.map((component, index) =>
    index % 2 === 1 ? { ...component, group } : component,
  )
  const read = await documentsOf(t, { ...TROUBLED_STATUS, components })
  const listed = (await read('components.json')).body['components'] as {
    [member: string]: unknown
  }[]
  assert.deepEqual(
    listed.map(({ id, group_id: of, position }) => [id, of, position]),
    [
      ['read-api', null, 1],
      ['group_pages', null, 2],
      ['pages', 'group_pages', 2],
      ['feeds', null, 3],
      ['archive', 'group_pages', 4],
      ['log', null, 5],
    ],
  )
  assert.partialDeepStrictEqual(listed[1], {
    name: group,
    group: true,
    status: 'degraded_performance',
    components: ['pages', 'archive'],
  })
})

test('an incident has its updates newest first, its components, and an address', async (t) => {
  const read = await documentsOf(t, TROUBLED_STATUS)
  const [incident] = (await read('incidents/unresolved.json')).body['incidents'] as [
    { [member: string]: unknown },
  ]
  const { components, incident_updates: updates, shortlink, ...rest } = incident
  assert.deepEqual(rest, {
    id: 'no-reads',
    name: 'Reads fail',
    status: 'identified',
    impact: 'critical',
    created_at: '2026-11-21T08:12:00.000Z',
    updated_at: '2026-11-21T08:40:00.000Z',
    started_at: '2026-11-21T08:10:00.000Z',
    monitoring_at: null,
    resolved_at: null,
    page_id: 'svc.public.status',
    reminder_intervals: null,
  })
  assert.match(String(shortlink), /^https:\/\/api\.example\.org\/en\/status\b.*no-reads$/)
  assert.deepEqual(
    (components as { id: string }[]).map(({ id }) => id),
    ['read-api'],
  )
  assert.deepEqual(
    (updates as { id: string; status: string; display_at: string }[]).map(
      ({ id, status, display_at: at }) => [id, status, at],
    ),
    [
      ['no-reads-2', 'identified', '2026-11-21T08:40:00.000Z'],
      ['no-reads-1', 'investigating', '2026-11-21T08:12:00.000Z'],
    ],
  )
})

test('an update names its components with their published states before and after it', async (t) => {
  const readApi = (state: 'operational' | 'degraded', since: string) => ({
    ...TROUBLED_STATUS,
    components: TROUBLED_STATUS.components.map((each) =>
      each.id === 'read-api' ? { ...each, state, since } : each,
    ),
  })
  const status = {
    ...TROUBLED_STATUS,
    components: TROUBLED_STATUS.components.map((each) =>
      each.id === 'read-api' ? { ...each, since: '2026-11-21T08:40:00Z' } : each,
    ),
  }
  const earlier = [
    {
      createdAt: '2026-11-20T08:00:00.000Z',
      status: readApi('operational', '2026-11-01T00:00:00Z'),
    },
    { createdAt: '2026-11-21T08:12:00.000Z', status: readApi('degraded', '2026-11-21T08:12:00Z') },
  ]
  const createdAt = '2026-11-21T08:40:00.000Z'
  const app = await runApp(t, { releases: releasesOf({ status }, { earlier, createdAt }) })
  const read = async (name: string, member: string) => {
    const body = (await (await app.fetch(BASE + name)).json()) as {
      [list: string]: { id: string; incident_updates: { affected_components: unknown }[] }[]
    }
    return Object.fromEntries(
      (body[member] ?? []).map(({ id, incident_updates: updates }) => [
        id,
        updates.map((update) => update.affected_components),
      ]),
    )
  }
  const from = (old: string, now: string) => [
    { code: 'read-api', name: 'Name of read-api', old_status: old, new_status: now },
  ]
  const incidents = await read('incidents.json', 'incidents')
  assert.deepEqual(incidents['no-reads'], [
    from('degraded_performance', 'major_outage'),
    from('operational', 'degraded_performance'),
  ])
  // Without components: a list too.
  const planned = await read('scheduled-maintenances.json', 'scheduled_maintenances')
  assert.deepEqual(planned['done'], [[]])
})

test('a status that cannot be read is 503, not an empty page', async (t) => {
  const app = await runApp(t, { releases: releasesOf({}, { damaged: ['status'] }) })
  const response = await app.fetch(`${BASE}summary.json`)
  assert.equal(response.status, 503)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.deepEqual(Object.keys((await response.json()) as object), ['error'])
})
