import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parse } from 'yaml'
import {
  formatStatus,
  importStatuspage,
  StatuspageError,
} from '../../../src/cli/import/import-statuspage.ts'
import { ANY_CODE_POINT } from '../../support/any-text.ts'

const NOW_MS = Date.parse('2026-02-14T10:00:00Z')

/** A document of the page that these tests made up, by the name of its endpoint. */
function document(name: string): { [member: string]: unknown } {
  const url = new URL(`statuspage/${name}.json`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as { [member: string]: unknown }
}

const DOCUMENTS = ['incidents', 'scheduled-maintenances', 'summary'].map(document)

test('components, incidents and maintenances become a status, whatever the order of the documents', () => {
  const { status, counts } = importStatuspage(DOCUMENTS, NOW_MS)
  assert.deepEqual(counts, { components: 3, incidents: 2, maintenances: 1 })
  assert.deepEqual(importStatuspage(DOCUMENTS.toReversed(), NOW_MS).status, status)
  assert.deepEqual(status, {
    state: 'partial_outage',
    summary: 'Partial System Outage',
    updatedAt: '2026-02-14T09:31:05.114Z',
    components: [
      {
        id: 'api',
        name: 'API',
        summary: 'TODO What the component does.',
        state: 'maintenance',
        since: '2026-02-14T08:00:12.500Z',
      },
      {
        id: 'gauges-north-coast',
        name: 'North coast',
        group: 'Gauges',
        summary: 'Water levels of the northern gauges.',
        state: 'major_outage',
        since: '2026-02-14T09:20:00Z',
      },
      {
        id: 'gauges-south-coast',
        name: 'South coast',
        group: 'Gauges',
        summary: 'Water levels of the southern gauges.',
        state: 'operational',
        since: '2025-12-02T07:00:00Z',
      },
    ],
    maintenances: [
      {
        id: 'new-disks-2026-02-14',
        title: 'New disks',
        state: 'in_progress',
        startsAt: '2026-02-14T08:00:00Z',
        endsAt: '2026-02-14T11:00:00Z',
        components: ['api'],
        updates: [
          {
            at: '2026-02-14T09:30:00Z',
            state: 'in_progress',
            text: 'The disks are in. We check them.',
          },
          { at: '2026-02-14T08:00:00Z', state: 'in_progress', text: 'The work has begun.' },
          { at: '2026-02-01T08:00:00Z', state: 'scheduled', text: 'Reads may fail for a minute.' },
        ],
      },
    ],
    incidents: [
      {
        id: 'no-levels-from-the-north-2026-02-14',
        title: 'No levels from the north',
        state: 'identified',
        impact: 'major',
        startedAt: '2026-02-14T09:00:00Z',
        components: ['gauges-north-coast'],
        updates: [
          {
            at: '2026-02-14T09:20:00Z',
            state: 'identified',
            text: 'A cable is cut.\n\nWe repair it.',
          },
          { at: '2026-02-14T09:05:00Z', state: 'investigating', text: 'We look into it.' },
        ],
      },
      {
        id: 'late-forecasts-2025-11-03',
        title: 'Late forecasts',
        state: 'resolved',
        impact: 'minor',
        startedAt: '2025-11-03T11:00:00Z',
        resolvedAt: '2025-11-03T13:00:00Z',
        components: ['gauges-south-coast'],
        updates: [
          {
            at: '2025-11-05T18:00:00Z',
            state: 'resolved',
            text: 'Cause\n\nA full queue & no alarm:\n\n- one\n- two\n\nNext: an alarm.',
          },
          { at: '2025-11-03T13:00:00Z', state: 'resolved', text: 'Forecasts are on time.' },
          { at: '2025-11-03T11:00:00Z', state: 'investigating', text: 'Forecasts are late.' },
        ],
      },
    ],
  })
})

test('whatever does not map is reported with its number', () => {
  const { notes } = importStatuspage(DOCUMENTS, NOW_MS)
  for (const note of [
    'page.name: not imported (1)',
    'components[].showcase: not imported (4)',
    'incidents[].shortlink: not imported (2)',
    'incidents[].incident_updates[].affected_components: not imported (1)',
    'incidents[].components: "Forecasts" is not a component of the page any more (1)',
    'the state postmortem: imported as resolved (2)',
    'the state verifying: imported as in_progress (2)',
    'texts with markup: imported without it (1)',
    'missing texts, each now "TODO What the component does." (1)',
  ]) {
    assert.ok(notes.includes(note), `${note}\n${notes.join('\n')}`)
  }
  // Every member with a value, at any place: one that these tests invent is named.
  const added = structuredClone(DOCUMENTS)
  const [incidents] = added
  assert.ok(incidents)
  const [incident] = incidents['incidents'] as { [name: string]: unknown }[]
  assert.ok(incident)
  incident['secret_field\u009b'] = 5
  incidents['constructor'] = { prototype: 1 }
  incidents['empty'] = []
  const shown = added
    .flatMap((each) => (each['components'] ?? []) as { [name: string]: unknown }[])
    .find((each) => each['group'] !== true)
  assert.ok(shown)
  shown['only_show_if_degraded'] = true
  const more = importStatuspage(added, NOW_MS).notes
  const hidden = 'components that are hidden while operational: imported, and always shown (1)'
  assert.ok(more.includes(hidden), more.join('\n'))
  assert.ok(more.includes('constructor: not imported (1)'))
  assert.ok(!more.some((note) => note.startsWith('empty')))
  const full = Array.from({ length: 50 }, (_, index) => ({ id: `i${index}` }))
  assert.match(
    importStatuspage([...DOCUMENTS, { incidents: full }], NOW_MS).notes[0] ?? '',
    /^incidents: only the newest 50 are in the document/,
  )
})

test('what cannot be understood stays for svc check to name, and ids stay unique', () => {
  const component = { id: 'a', name: 'ระบบ', status: 'on_fire', updated_at: 'soon' }
  const long = `Long ${'x'.repeat(3000)}`
  const event = {
    name: 'Same',
    status: 'melting',
    impact: 'huge',
    started_at: '2026-02-30T00:00:00Z',
  }
  const update = { status: 'melting', body: long, display_at: '2026-02-01T00:00:00Z' }
  const { status } = importStatuspage(
    [
      {
        components: [component, { ...component, id: 'b' }],
        incidents: [1, 2].map((id) => ({ ...event, id: `e${id}`, incident_updates: [update] })),
      },
    ],
    NOW_MS,
  )
  assert.partialDeepStrictEqual(status, {
    state: 'operational',
    summary: 'TODO What the overall state means for callers.',
    components: [
      { id: 'component', name: 'ระบบ', state: 'on_fire', since: 'soon' },
      { id: 'component-2' },
    ],
    incidents: [
      { id: 'same-2026-02-30', state: 'melting', impact: 'huge', updates: [{ text: long }] },
      { id: 'same-2026-02-30-2' },
    ],
  })
})

test('other documents are refused', () => {
  for (const [documents, expected] of [
    [[], /no document has the components/],
    [[null], /no document has the components/],
    [[[]], /no document has the components/],
    [[{ components: 'x' }], /components is not a list/],
    [[{ components: [null] }], /components\[0\] is not an object/],
    [[{ components: [{ name: 'x' }] }], /an item has no id/],
    [[{ components: [], incidents: { a: 1 } }], /incidents is not a list/],
  ] as const) {
    assert.throws(
      () => importStatuspage(documents, NOW_MS),
      (error) => error instanceof StatuspageError && expected.test(error.message),
    )
  }
})

test('no document makes it fail otherwise, and the file says what was imported', () => {
  const value = fc.oneof(
    { weight: 2, arbitrary: fc.string({ unit: ANY_CODE_POINT }) },
    fc.constantFrom(
      '<br>&#0;&#1114112;',
      '<'.repeat(300),
      ' \n',
      '2026-02-01T00:00:00Z',
      null,
      5,
      true,
    ),
    fc.constant([{ id: 'x', toString: 5, valueOf: 5 }]),
    fc.constant({ toString: 5, valueOf: 5 }),
  )
  const item = fc.record(
    {
      id: fc.constantFrom('a', 'b', '__proto__'),
      ...Object.fromEntries(
        [
          'name status description group group_id position updated_at',
          'started_at resolved_at impact body display_at scheduled_for',
        ].flatMap((names) => names.split(' ').map((name) => [name, value])),
      ),
      components: fc.array(fc.record({ id: fc.constantFrom('a', 'c') }), { maxLength: 2 }),
      incident_updates: fc.array(
        fc.record({ status: value, body: value, display_at: value }, { requiredKeys: [] }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['id'] },
  )
  const items = fc.array(item, { maxLength: 3 })
  fc.assert(
    fc.property(
      fc.record({
        components: items,
        incidents: items,
        scheduled_maintenances: items,
        page: value,
      }),
      (made) => {
        const { status } = importStatuspage([made], NOW_MS)
        assert.deepEqual(parse(formatStatus(status)), status)
      },
    ),
    { numRuns: 30 },
  )
})
