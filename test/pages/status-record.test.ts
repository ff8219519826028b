import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { createRecorder, recordKey } from '@public-api/contract/history/published-record'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf, type MadeVersion } from '../support/made-content.ts'
import { madeEntry } from '../support/made-entry.ts'
import { parsePage, textIn } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import {
  CALM_STATUS,
  longStatus,
  minutesAgo,
  OPEN_INCIDENT,
  OUTAGE_STATUS,
  pastIncident,
  PLANNED_MAINTENANCE,
  TROUBLE_NOW_MS,
} from '../support/trouble-content.ts'

type Status = SnapshotData<'status'>

const DAY_MINUTES = 24 * 60
const MAX_HTML_BYTES = 60_000

async function open(t: TestContext, status: Status, earlier: MadeVersion['earlier'] = []) {
  const releases = releasesOf({ status }, { earlier, createdAt: minutesAgo(40) })
  const app = await runApp(t, { releases, clock: { nowMs: () => TROUBLE_NOW_MS } })
  const read = async (path: string) => {
    const response = await app.fetch(path)
    const source = await response.text()
    const markup = parsePage(source)
    const main = markup.all('main').map(textIn).join(' ').replaceAll(/\s+/g, ' ')
    return { status: response.status, source, markup, main, bytes: Buffer.byteLength(source) }
  }
  return { app, read }
}

const CALM_LONG_STATUS: Status = {
  ...CALM_STATUS,
  components: longStatus(1).components.map((each) => ({ ...each, state: 'operational' })),
}

const YESTERDAY = {
  ...pastIncident(1, 'payments'),
  startedAt: minutesAgo(DAY_MINUTES + 60),
  resolvedAt: minutesAgo(DAY_MINUTES),
}

test('the history by month begins with this month, and names what is planned', async (t) => {
  const planned = {
    ...PLANNED_MAINTENANCE,
    startsAt: '2026-12-06T14:00:00Z',
    endsAt: '2027-01-01T02:00:00Z',
  }
  const cancelled = {
    ...planned,
    id: 'cancelled-work',
    state: 'cancelled' as const,
    startsAt: '2027-01-05T14:00:00Z',
    endsAt: '2027-02-01T02:00:00Z',
  }
  const { read } = await open(t, {
    ...CALM_STATUS,
    incidents: [YESTERDAY],
    maintenances: [planned, cancelled],
  })
  for (const locale of LOCALES) {
    const { markup } = await read(`/${locale}/status`)
    const months = markup.all('main ul.links li')
    const links = months.map((each) => each.querySelector('a')?.attribute('href'))
    assert.deepEqual(
      links,
      ['2026-11', '2026-12', '2027-01', '2027-02'].map((month) => `/${locale}/status/${month}`),
    )
    const word = TEXTS[locale].labels.maintenanceState.scheduled
    assert.deepEqual(
      months.map((each) => textIn(each).includes(word)),
      [false, true, true, false],
    )
    assert.deepEqual(
      months.map((each) => /\d+(?=\)$)/.exec(textIn(each))?.[0]),
      ['1', '1', '1', '1'],
    )
  }
})

test('days before the first version count where an imported incident is recorded', async (t) => {
  const status = { ...CALM_STATUS, updatedAt: minutesAgo(30), incidents: [YESTERDAY] }
  const { read } = await open(t, status)
  const { markup, main } = await read('/en/status')
  const days = markup.all('#component-payments').map(textIn).join()
  // The first version is of today: yesterday has the incident, and no day before it has a record.
  assert.match(
    days,
    /Recorded since Nov 25, 2026 \(2 days\)\.\s+Days with an incident or reduced service: 1\./,
  )
  assert.match(days, /Newest:\s+Late responses/)
  const other = markup.all('#component-reads').map(textIn).join()
  assert.match(
    other,
    /Recorded since Nov 26, 2026 \(1 day\)\.\s+Days with an incident or reduced service: 0\./,
  )
  assert.ok(!main.includes('of the last 90 days'))
})

test('a record with a gap does not say that it lasts since its first day', async (t) => {
  const status = {
    ...CALM_STATUS,
    updatedAt: minutesAgo(30),
    incidents: [pastIncident(5, 'reads')],
  }
  const { app, read } = await open(t, status)
  // Ten days ago there was an imported incident, and the first version is of today.
  const { markup } = await read('/en/status')
  assert.match(
    markup.all('#component-reads').map(textIn).join(),
    /2 of the last 11 days are recorded\.\s+Days with an incident or reduced service: 1\./,
  )
  const twin = await (await app.fetch('/en/status.md')).text()
  assert.match(twin, /^# Status\n\nOperational published/m, 'the button is left out')
})

test('a removed incident stays in days, counts and months, marked, and its address answers 410', async (t) => {
  const with5 = { ...CALM_STATUS, incidents: [YESTERDAY] }
  const without = { ...CALM_STATUS, updatedAt: minutesAgo(30), incidents: [] }
  const { app, read } = await open(t, without, [
    { createdAt: minutesAgo(5 * DAY_MINUTES), status: { ...CALM_STATUS, incidents: [] } },
    { createdAt: minutesAgo(DAY_MINUTES - 60), status: with5 },
  ])
  const path = `status/incidents/${YESTERDAY.id}`
  for (const locale of LOCALES) {
    const texts = TEXTS[locale].status
    const { markup } = await read(`/${locale}/status`)
    const row = markup.all('.events li').map(textIn).join()
    assert.ok(row.includes(texts.removed) && row.includes(YESTERDAY.title), row)
    assert.match(markup.all('#component-payments').map(textIn).join(), /1/)
    const month = await read(`/${locale}/status/2026-11`)
    assert.ok(month.main.includes(texts.removed) && month.main.includes(YESTERDAY.title))
    const gone = await read(`/${locale}/${path}`)
    assert.equal(gone.status, 410)
    // The note of the version says why.
    assert.ok(gone.main.includes(`${texts.removedNote}: Made by a test.`), gone.main)
    const links = gone.markup.all('main a').map((link) => link.attribute('href'))
    assert.deepEqual(links, [
      `/${locale}/status`,
      `/${locale}/history/VS-0003`,
      `/${locale}/history/VS-0002`,
    ])
    // Each language has the page.
    const others = gone.markup.all('.languages a').map((link) => link.attribute('href'))
    for (const other of others) assert.equal((await app.fetch(other ?? '')).status, 410)
  }
  assert.match(
    (await read('/en/status')).markup.all('#component-payments').map(textIn).join(),
    /Recorded since Nov 21, 2026 \(6 days\)\.\s+Days with an incident or reduced service: 1\./,
  )
  const twin = await app.fetch(`/en/${path}.md`)
  assert.equal(twin.status, 410)
  assert.match(await twin.text(), /VS-0003/)
})

test('what only redacted bytes said leaves the record of the next release', () => {
  const record = createRecorder()
  const statuses = new Map<string, Status>([
    ['with', { ...CALM_STATUS, incidents: [YESTERDAY] }],
    ['without', { ...CALM_STATUS, incidents: [] }],
  ])
  const first = madeEntry(undefined, { status: 'with' })
  const second = madeEntry(first, { status: 'without' })
  const entries = new Map([first, second].map((entry) => [entry.snapshotId, entry]))
  const versions = {
    version: (id: string) => entries.get(id),
    archived: (_: string, digest: string) => statuses.get(digest),
  }
  record.read({ ...versions, head: first, redactionCount: 0 })
  const before = record.read({ ...versions, head: second, redactionCount: 0 })
  assert.equal(before.items.get(recordKey('incidents', YESTERDAY.id))?.removedIn, second.snapshotId)
  statuses.delete('with')
  const after = record.read({ ...versions, head: second, redactionCount: 1 })
  assert.equal(after.items.size, 0)
})

test('pages stay small with 50 and 500 incidents, and lead to each of them', async (t) => {
  for (const count of [50, 500]) {
    const status = longStatus(count)
    // A record of all days has the longest bars.
    const earlier = [{ createdAt: minutesAgo(100 * DAY_MINUTES), status: CALM_LONG_STATUS }]
    const { read } = await open(t, status, earlier)
    for (const locale of LOCALES) {
      const main = await read(`/${locale}/status`)
      const isMonth = (href: string): boolean => /\/status\/\d/.test(href)
      const links = main.markup.all('main a').map((link) => link.attribute('href') ?? '')
      const known = new Set(links.filter(isMonth))
      const months = [...known]
      const reached = new Set<string>()
      for (let index = 0; index < months.length; index += 1) {
        const month = await read(months[index] ?? '')
        assert.equal(month.status, 200)
        assert.ok(month.bytes < MAX_HTML_BYTES, `${months[index]}: ${month.bytes}`)
        for (const link of month.markup.all('main a')) {
          const href = link.attribute('href') ?? ''
          if (href.includes('/incidents/')) reached.add(href)
          if (!isMonth(href) || known.has(href)) continue
          known.add(href)
          months.push(href)
        }
        // The English pages of all months are enough to find all incidents.
        if ((locale !== 'en' || count > 50) && index > 1) break
      }
      assert.ok(main.bytes < MAX_HTML_BYTES, `${locale}, ${count} incidents: ${main.bytes} bytes`)
      if (locale === 'en' && count === 50) assert.equal(reached.size, count)
    }
  }
})

test('a month with more than fits on a page has several pages', async (t) => {
  const incidents = Array.from({ length: 100 }, (_, nth) => ({
    ...pastIncident(1, 'payments'),
    id: `short-${nth}`,
  }))
  const { read } = await open(t, { ...CALM_STATUS, incidents })
  const pages = ['/en/status/2026-11', '/en/status/2026-11/2', '/en/status/2026-11/3']
  const found = await Promise.all(pages.map((page) => read(page)))
  const shown = found.map(({ markup }) => markup.all('.events > li').length)
  assert.deepEqual(shown, [40, 40, 20])
  for (const missing of ['2026-11/4', '2026-11/1x', '2026-08', '2026-13', 'incidents/none']) {
    assert.equal((await read(`/en/status/${missing}`)).status, 404, missing)
  }
})

test('an incident and a maintenance have pages with their updates, whose addresses feeds name', async (t) => {
  const { app, read } = await open(t, OUTAGE_STATUS)
  const incident = await read(`/en/status/incidents/${OPEN_INCIDENT.id}`)
  for (const { text } of OPEN_INCIDENT.updates) assert.ok(incident.main.includes(text), text)
  assert.ok(incident.main.includes('2 hr 40 min'))
  // Addresses in updates are links.
  const [link] = incident.markup.all('main a[rel="nofollow noopener"]')
  assert.equal(link?.attribute('href'), 'https://status.example.test/42')
  const picture = incident.markup.all('svg text').map(textIn)
  assert.ok(
    picture.some((text) => /03:40\s+Now$/.test(text)),
    picture.join(),
  )
  const maintenance = await read(`/th/status/maintenances/${PLANNED_MAINTENANCE.id}`)
  assert.equal(maintenance.status, 200)
  const feed = (await (await app.fetch('/en/status.json')).json()) as { items: { url: string }[] }
  assert.deepEqual(feed.items.map(({ url }) => new URL(url).pathname).toSorted(), [
    `/en/status/incidents/${OPEN_INCIDENT.id}`,
    `/en/status/maintenances/${PLANNED_MAINTENANCE.id}`,
  ])
  const calendar = await (await app.fetch('/en/maintenance.ics')).text()
  assert.match(calendar.replaceAll('\r\n ', ''), /\/en\/status\/maintenances\/network-upgrade/)
})

test('a corrected start makes no new entry in a feed', async (t) => {
  const corrected = { ...OPEN_INCIDENT, startedAt: minutesAgo(5 * 60) }
  const { app } = await open(t, { ...OUTAGE_STATUS, incidents: [corrected] }, [
    { createdAt: minutesAgo(100), status: OUTAGE_STATUS },
  ])
  const feed = (await (await app.fetch('/en/status.json')).json()) as { items: { id: string }[] }
  // Five hours before 03:40 is the day before.
  assert.ok(feed.items.some(({ id }) => id.includes('2026-11-26:incidents/database-down')))
})

test('an open incident is not denied by the text about the last days', async (t) => {
  const text = async (status: Status) => {
    const { read } = await open(t, status)
    return (await read('/en/status')).main
  }
  assert.match(
    await text(OUTAGE_STATUS),
    /No other incident and no other maintenance in the last 14/,
  )
  assert.match(await text(CALM_STATUS), /No incident and no maintenance in the last 14 days/)
})

test('the first page and the status page name what is broken, in order', async (t) => {
  const { read } = await open(t, OUTAGE_STATUS)
  for (const locale of LOCALES) {
    const texts = TEXTS[locale]
    for (const path of ['', '/status']) {
      const { main, markup } = await read(`/${locale}${path}`)
      const { componentState, incidentState, incidentImpact } = texts.labels
      const order = [
        componentState.major_outage,
        OPEN_INCIDENT.title,
        incidentState.identified,
        incidentImpact.critical,
        'The primary database lost its disks.',
        PLANNED_MAINTENANCE.title,
      ]
      const places = order.map((text) => main.indexOf(text.replaceAll(/\s+/g, ' ')))
      assert.ok(!places.includes(-1), `${locale}${path}: ${places.join()}`)
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
        `${locale}${path}`,
      )
      assert.equal(markup.all('[data-ago]').length > 0, true)
      assert.equal(markup.all('[data-elapsed]').length, 1)
      assert.equal(markup.all('.edge-bad').length, 1)
    }
    // The worst component first.
    const { markup } = await read(`/${locale}`)
    const states = markup.all('.component-states li').map(textIn)
    assert.equal(states.length, 2)
    assert.match(states[0] ?? '', /^\s*Payments/)
  }
})

test('each open incident is shown with its newest update, the worst first, and what does not fit is named', async (t) => {
  const impacts = ['minor', 'none', 'minor', 'critical', 'major'] as const
  const incidents = Array.from({ length: 22 }, (_, nth) => ({
    ...OPEN_INCIDENT,
    id: `open-${nth}`,
    title: `Trouble ${nth}`,
    impact: impacts[nth] ?? 'none',
    startedAt: minutesAgo(160 + nth),
    updates: [
      { at: minutesAgo(5), state: 'identified' as const, text: `Newest statement ${nth}.` },
    ],
  }))
  const { read } = await open(t, { ...OUTAGE_STATUS, incidents })
  for (const path of ['/en', '/en/status']) {
    const { markup, main } = await read(path)
    const shown = markup.all('.open-incident')
    const ids = shown.map((each) => Number(each.attribute('id')?.replace('incident-open-', '')))
    assert.deepEqual(ids.slice(0, 5), [3, 4, 0, 2, 1])
    assert.equal(ids.length, 20)
    for (const [index, id] of ids.entries()) {
      assert.match(textIn(shown[index] ?? assert.fail()), new RegExp(`Newest statement ${id}\\.`))
    }
    assert.match(main, /2 more open incidents: Trouble 20 and Trouble 21\./)
  }
})

test('a bad state without an incident says so, and calm pages have no trouble', async (t) => {
  const silent = await open(t, { ...OUTAGE_STATUS, incidents: [], maintenances: [] })
  const { noOpenIncident } = TEXTS.en.status
  assert.ok((await silent.read('/en')).main.includes(noOpenIncident))
  assert.ok((await silent.read('/en/status')).main.includes(noOpenIncident))
  const calm = await open(t, CALM_STATUS)
  for (const path of ['/en', '/en/status']) {
    const { main, markup } = await calm.read(path)
    assert.ok(!main.includes(noOpenIncident))
    const trouble = '.open-incident, .component-states, .next-maintenance, .edge-bad, .edge-warn'
    assert.equal(markup.all(trouble).length, 0)
  }
})

/** A calm status with one component in a state since so many days ago. */
const bad = (state: Status['state'], days: number): Status => ({
  ...CALM_STATUS,
  updatedAt: minutesAgo(days * DAY_MINUTES),
  components: CALM_STATUS.components.map((each) =>
    each.id === 'webhooks' ? { ...each, state, since: minutesAgo(days * DAY_MINUTES) } : each,
  ),
  incidents: [],
})

test('days with a bad state are shown without an incident, until a version ends it', async (t) => {
  const { read } = await open(t, bad('operational', 4), [
    { createdAt: minutesAgo(9 * DAY_MINUTES), status: bad('operational', 9) },
    { createdAt: minutesAgo(7 * DAY_MINUTES), status: bad('degraded', 7) },
    { createdAt: minutesAgo(5 * DAY_MINUTES), status: bad('major_outage', 5) },
  ])
  const { markup } = await read('/en/status')
  const kinds = markup
    .all('#component-webhooks svg.day-bars path')
    .map((day) => `${day.attribute('class')} ${textIn(day)}`)
  assert.deepEqual(kinds.slice(1), [
    'day-none Nov 17 – 18, 2026: No impact',
    'day-minor Nov 19 – 20, 2026: Minor impact',
    'day-major Nov 21 – 22, 2026: Major or critical impact',
    // The newest version covers the days since its review.
    'day-none Nov 23 – 26, 2026: No impact',
  ])
  const text = markup.all('#component-webhooks').map(textIn).join()
  assert.match(text, /Days with an incident or reduced service: 4\./)
})

test('a rollback to a status from before a bad state does not remove its days', async (t) => {
  const calm = bad('operational', 200)
  const { read } = await open(t, calm, [
    { createdAt: minutesAgo(9 * DAY_MINUTES), status: calm },
    { createdAt: minutesAgo(3 * DAY_MINUTES), status: bad('major_outage', 3) },
    { createdAt: minutesAgo(2 * DAY_MINUTES), status: calm },
  ])
  const { markup } = await read('/en/status')
  const text = markup.all('#component-webhooks').map(textIn).join()
  assert.match(text, /Days with an incident or reduced service: 2\./)
})

test('a group is folded while all of it is operational, and states the worst state in it', async (t) => {
  const grouped = OUTAGE_STATUS.components.map((each) => ({
    ...each,
    group: each.id === 'payments' || each.id === 'reports' ? 'Money' : 'Reading',
  }))
  const { read } = await open(t, { ...OUTAGE_STATUS, components: grouped })
  const { markup } = await read('/en/status')
  const groups = markup.all('details.component-group').map((group) => ({
    isOpen: group.attribute('open') !== undefined,
    summary: group.querySelectorAll('summary').map(textIn).join().replaceAll(/\s+/g, ' ').trim(),
  }))
  assert.deepEqual(groups, [
    { isOpen: false, summary: 'Reading Operational' },
    { isOpen: true, summary: 'Money Major outage' },
  ])
})

test('a page carries the digest of each resource that it shows', async (t) => {
  const { app, read } = await open(t, OUTAGE_STATUS)
  for (const path of ['/en', '/th/status', '/en/roadmap', '/en/status/incidents/database-down']) {
    const { markup } = await read(path)
    const shown = markup.all('[data-resource]')
    assert.notEqual(shown.length, 0, path)
    for (const each of shown) {
      const response = await app.fetch(each.attribute('href') ?? '')
      assert.equal(response.headers.get('etag'), `W/"${each.attribute('data-digest')}"`)
    }
  }
})
