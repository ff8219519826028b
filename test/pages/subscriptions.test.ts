import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { escapeHidden } from '@public-api/contract/text/hidden-characters'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import * as fc from 'fast-check'
import { parseAtomFeed, parseJsonFeed } from 'feedsmith'
import ICAL from 'ical.js'
import { SaxesParser } from 'saxes'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { calendarComponent, calendarText } from '../../src/pages/files/icalendar.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { publishRelease } from '../../src/publishing/releases/publish-release.ts'
import { rollBackRelease } from '../../src/publishing/releases/roll-back-release.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { editContent, makeContent, writeContent } from '../publishing/content-fixture.ts'
import { releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

type Status = SnapshotData<'status'>

const THAI = 'เปลี่ยนดิสก์ของระบบอ่านข้อมูล; ช้า, สั้น \\ ทั้งหมด '.repeat(2).trim()

function made(change: Partial<Status> = {}): Status {
  return {
    state: 'partial_outage',
    summary: 'Some reads fail.',
    updatedAt: '2026-03-02T00:00:00Z',
    components: [
      {
        id: 'read-api',
        name: 'Read API',
        summary: 'Reads.',
        state: 'major_outage',
        since: '2026-03-01T08:00:00Z',
      },
    ],
    incidents: [
      {
        id: 'open',
        title: 'Reads of <id> fail & stay so',
        state: 'identified',
        impact: 'major',
        startedAt: '2026-03-01T08:00:00Z',
        components: ['read-api'],
        updates: [
          { at: '2026-03-01T09:00:00Z', state: 'identified', text: 'A full disk.' },
          { at: '2026-03-01T08:00:00Z', state: 'investigating', text: 'We look.' },
        ],
      },
      {
        id: 'over',
        title: 'It was slow',
        state: 'resolved',
        impact: 'minor',
        startedAt: '2026-02-01T08:00:00Z',
        resolvedAt: '2026-02-01T09:00:00Z',
        components: ['read-api'],
        updates: [
          { at: '2026-02-03T00:00:00Z', state: 'resolved', text: 'The report.' },
          { at: '2026-02-01T09:00:00Z', state: 'resolved', text: 'Fast again.' },
          { at: '2026-02-01T08:00:00Z', state: 'investigating', text: 'Slow.' },
        ],
      },
    ],
    maintenances: [
      {
        id: 'disk-swap',
        title: THAI,
        state: 'scheduled',
        startsAt: '2026-04-01T02:00:00Z',
        endsAt: '2026-04-01T03:30:00Z',
        components: ['read-api'],
        updates: [
          { at: '2026-02-20T08:00:00Z', state: 'scheduled', text: `A day later.\nNote: ${THAI}` },
          { at: '2026-02-10T08:00:00Z', state: 'scheduled', text: 'Short breaks.' },
        ],
      },
      {
        id: 'called-off',
        title: 'Called off',
        state: 'cancelled',
        startsAt: '2026-03-20T02:00:00Z',
        endsAt: '2026-03-20T03:30:00Z',
        components: [],
        updates: [
          { at: '2026-02-12T08:00:00Z', state: 'cancelled', text: 'Not needed.' },
          { at: '2026-02-10T08:00:00Z', state: 'scheduled', text: 'Planned.' },
        ],
      },
    ],
    ...change,
  }
}

async function serve(t: TestContext, status: Status = made()) {
  const app = await runApp(t, { releases: releasesOf({ status }) })
  return async (path: string, type: string) => {
    const response = await app.fetch(path)
    assert.equal(response.status, 200, path)
    assert.equal(response.headers.get('content-type'), type)
    return { text: await response.text(), headers: response.headers, app }
  }
}

const ATOM = 'application/atom+xml; charset=utf-8'
const JSON_FEED = 'application/feed+json; charset=utf-8'
const CALENDAR = 'text/calendar; charset=utf-8'
const SVG = 'image/svg+xml; charset=utf-8'

test('a status feed has an entry for each incident and maintenance, and one more for its end', async (t) => {
  const read = await serve(t)
  const first: string[][] = []
  for (const locale of LOCALES) {
    const { text } = await read(`/${locale}/status.json`, JSON_FEED)
    const { items = [], language, home_page_url } = parseJsonFeed(JSON.parse(text))
    assert.equal(language, locale)
    assert.ok(home_page_url?.endsWith(pathOfPage(locale, 'status')))
    const ids = items.map(({ id }) => id?.replace(/^tag:127\.0\.0\.1,/, '') ?? '')
    // Newest first; an end keeps its time when a report follows.
    assert.deepEqual(ids, [
      '2026-03-04:incidents/open',
      '2026-03-04:maintenances/called-off/end',
      '2026-03-04:maintenances/disk-swap',
      '2026-03-04:maintenances/called-off',
      '2026-03-04:incidents/over/end',
      '2026-03-04:incidents/over',
    ])
    first.push(ids)
    const { text: atom } = await read(`/${locale}/status.atom`, ATOM)
    const parsed = parseAtomFeed(atom)
    assert.deepEqual(
      parsed.entries?.map(({ id }) => id),
      items.map(({ id }) => id),
    )
    assert.ok(atom.includes(`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${locale}">`))
    assert.ok(JSON.stringify(parsed.entries?.[0]?.title).includes('Reads of <id> fail & stay so'))
    const parser = new SaxesParser()
    parser.on('error', (error) => assert.fail(error))
    parser.write(atom).close()
  }
  assert.deepEqual(first[1], first[0])
  const { items = [] } = parseJsonFeed(JSON.parse((await read('/en/status.json', JSON_FEED)).text))
  const contents = items.map(({ content_text }) => content_text)
  assert.match(contents[2] ?? '', /^Planned from 2026-04-01T02:00:00Z to 2026-04-01T03:30:00Z\.\n/)
  assert.equal(contents[1], '2026-02-12T08:00:00Z Not needed.')
  assert.equal(items[4]?.date_published, '2026-02-01T09:00:00Z')
})

test('a component has feeds of the incidents and maintenances that name it', async (t) => {
  const [component] = made().components
  assert.ok(component)
  const other = { ...component, id: 'pages', name: 'Pages & feeds', state: 'operational' } as const
  const [planned] = made().maintenances ?? []
  assert.ok(planned)
  const both = { ...planned, id: 'both', components: ['read-api', 'pages'] }
  const read = await serve(t, {
    ...made(),
    components: [component, other],
    maintenances: [both, ...(made().maintenances ?? [])],
  })
  for (const locale of LOCALES) {
    const feedOf = async (name: string) =>
      parseJsonFeed(JSON.parse((await read(`/${locale}/${name}.json`, JSON_FEED)).text))
    const { items: all = [] } = await feedOf('status')
    for (const [id, named] of [
      ['read-api', (item: string) => !item.includes('called-off')],
      ['pages', (item: string) => item.endsWith('maintenances/both')],
    ] as const) {
      const name = `status/components/${id}`
      const feed = await feedOf(name)
      assert.deepEqual(
        feed.items,
        all.filter((item) => named(item.id ?? '')),
      )
      const { pathname, hash } = new URL(feed.home_page_url ?? '')
      const page = await read(pathname, 'text/html; charset=utf-8')
      const [entry] = parsePage(page.text).all(`li${hash}`)
      assert.ok(entry)
      const { text: atom, headers } = await read(`/${locale}/${name}.atom`, ATOM)
      const parsed = parseAtomFeed(atom)
      assert.deepEqual(
        parsed.entries?.map((each) => each.id),
        feed.items?.map((item) => item.id),
      )
      assert.ok(feed.title?.includes(id === 'pages' ? 'Pages & feeds' : 'Read API'))
      assert.ok(feed.description?.includes(id === 'pages' ? 'Pages & feeds' : 'Read API'))
      const links = new Set(
        parsePage(page.text)
          .all('section[aria-labelledby="subscribe"] a')
          .map((each) => attributeOf(each, 'href')),
      )
      for (const format of ['atom', 'json', 'ics'])
        assert.ok(links.has(`/${locale}/${name}.${format}`))
      const whole = await read(`/${locale}/status.atom`, ATOM)
      for (const header of ['cache-control', 'access-control-allow-origin', 'content-language']) {
        assert.equal(headers.get(header), whole.headers.get(header), header)
      }
      const etag = headers.get('etag') ?? ''
      const again = await page.app.fetch(`/${locale}/${name}.atom`, {
        headers: { 'If-None-Match': etag },
      })
      assert.equal(again.status, 304)
    }
    const { app, text } = await read(`/${locale}/status/incidents/open`, 'text/html; charset=utf-8')
    const alternates = parsePage(text)
      .all('head link[rel="alternate"]')
      .map((each) => attributeOf(each, 'href'))
    assert.ok(alternates.includes(`/${locale}/status/components/read-api.atom`))
    for (const path of ['nothing.atom', 'nothing.json', 'read-api', 'read-api.rss']) {
      const response = await app.fetch(`/${locale}/status/components/${path}`)
      assert.equal(response.status, 404, path)
    }
  }
})

test('the feeds of a component have its newest entries, however many others are newer', async (t) => {
  const [, over] = made().incidents
  assert.ok(over)
  const many = Array.from({ length: 60 }, (_, nth) => ({
    ...over,
    id: `other-${nth}`,
    components: [],
  }))
  const read = await serve(t, { ...made(), incidents: [...many, over] })
  const { text } = await read('/en/status/components/read-api.json', JSON_FEED)
  const { items = [] } = parseJsonFeed(JSON.parse(text))
  assert.ok(items.some(({ id }) => id?.endsWith('incidents/over')))
})

test('a feed has what is open and what changed last, however many started later', async (t) => {
  const contentDir = makeContent(t)
  const store = openReleaseStore(join(temporaryFolder(t), 'releases'))
  const { incidents, maintenances = [], ...rest } = made({ state: 'major_outage' })
  const [open, over] = incidents
  const [planned] = maintenances
  assert.ok(open && over && planned)
  const many = Array.from({ length: 60 }, (_, nth) => nth)
  const status = (report: string): Status => ({
    ...rest,
    incidents: [
      ...many.map((nth) => ({ ...over, id: `other-${nth}` })),
      { ...over, startedAt: '2026-01-31T08:00:00Z', title: report },
      { ...open, startedAt: '2026-01-30T08:00:00Z' },
    ],
    maintenances: [
      ...many.map((nth) => ({
        ...planned,
        id: `later-${nth}`,
        startsAt: '2026-05-01T02:00:00Z',
        endsAt: '2026-05-01T03:00:00Z',
      })),
      planned,
    ],
  })
  const idsAfter = async (report: string, day: string) => {
    writeContent(contentDir, 'status.yaml', JSON.stringify(status(report)))
    const nowMs = Date.parse(`2026-03-${day}T00:00:00Z`)
    await publishRelease({ store, contentDir, registryVersion: '1.0.0', note: 'N.', nowMs })
    const app = await runApp(t, { releases: loadReleases(store) })
    const { items = [] } = parseJsonFeed(await (await app.fetch('/en/status.json')).json())
    return new Set(items.map(({ id = '' }) => id.split(':')[2]))
  }
  const before = await idsAfter('It was slow', '02')
  const expected = ['incidents/open', 'maintenances/disk-swap']
  assert.deepEqual(
    [...expected, 'incidents/over'].filter((id) => before.has(id)),
    expected,
  )
  const after = await idsAfter('It was slower', '03')
  for (const id of [...expected, 'incidents/over', 'incidents/over/end']) assert.ok(after.has(id))
})

/** The unfolded lines of a calendar whose lines keep the rules of RFC 5545 3.1. */
function contentLines(text: string): readonly string[] {
  assert.ok(text.endsWith('\r\n') && !/[^\r]\n|\r[^\n]/.test(text))
  const lines = text.slice(0, -2).split('\r\n')
  for (const line of lines) assert.ok(Buffer.byteLength(line) <= 75, line)
  return text.replaceAll('\r\n ', '').slice(0, -2).split('\r\n')
}

test('the calendar lists what is scheduled or runs, and its sequence grows with updates', async (t) => {
  const read = await serve(t)
  for (const locale of LOCALES) {
    const { text, headers } = await read(`/${locale}/maintenance.ics`, CALENDAR)
    assert.equal(headers.get('content-language'), locale)
    contentLines(text)
    const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
    assert.equal(calendar.getFirstPropertyValue('version'), '2.0')
    const events = calendar.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each))
    assert.equal(events.length, 1)
    const [event] = events
    assert.ok(event !== undefined)
    assert.equal(event.uid, 'maintenance-disk-swap@127.0.0.1')
    assert.equal(event.sequence, 0)
    assert.equal(event.startDate.toJSDate().toISOString(), '2026-04-01T02:00:00.000Z')
    assert.equal(event.endDate.toJSDate().toISOString(), '2026-04-01T03:30:00.000Z')
    assert.equal(
      event.summary,
      withoutLineMarks(TEXTS[locale].feed.maintenance)
        .replace('{title}', THAI)
        .replace('{state}', withoutLineMarks(TEXTS[locale].labels.maintenanceState.scheduled)),
    )
    assert.equal(
      event.description,
      `2026-02-20T08:00:00Z A day later.\nNote: ${THAI}\n2026-02-10T08:00:00Z Short breaks.`,
    )
    const { component } = event
    assert.equal(String(component.getFirstPropertyValue('dtstamp')), '2026-03-04T05:06:07Z')
    const url = new URL(String(component.getFirstPropertyValue('url')))
    assert.equal(url.pathname, `/${locale}/status/maintenances/disk-swap`)
    await read(url.pathname, 'text/html; charset=utf-8')
  }
})

test('a component has a calendar of the maintenances that name it, which leaves with it', async (t) => {
  const [component] = made().components
  const [planned] = made().maintenances ?? []
  assert.ok(component && planned)
  const other = { ...component, id: 'pages', name: 'Pages' }
  const both = { ...planned, id: 'both', components: ['read-api', 'pages'] }
  const only = { ...planned, id: 'only', components: ['read-api'] }
  const status = { ...made(), components: [component, other], maintenances: [both, only] }
  const later = { ...status, components: [component], maintenances: [only] }
  const before = await runApp(t, { releases: releasesOf({ status }) })
  const after = await runApp(t, {
    releases: releasesOf(
      { status: later },
      { earlier: [{ createdAt: '2026-03-01T00:00:00Z', status }] },
    ),
  })
  const uidsOf = (text: string) =>
    contentLines(text).flatMap((line) => /^UID:maintenance-([a-z-]+)@/.exec(line)?.[1] ?? [])
  for (const locale of LOCALES) {
    for (const [id, uids] of [
      ['read-api', ['both', 'only']],
      ['pages', ['both']],
    ] as const) {
      const path = `/${locale}/status/components/${id}.ics`
      const response = await before.fetch(path)
      assert.equal(response.headers.get('content-type'), CALENDAR)
      const text = await response.text()
      assert.deepEqual(uidsOf(text).toSorted(), uids)
      assert.match(text, id === 'pages' ? /^NAME:.*Pages/m : /^NAME:.*Read API/m)
      assert.equal((await after.fetch(path)).status, id === 'pages' ? 410 : 200, path)
    }
  }
  assert.equal((await before.fetch('/en/status/components/nothing.ics')).status, 404)
})

test('ids are fixed when first published, and revisions count what was published', async (t) => {
  const contentDir = makeContent(t)
  const store = openReleaseStore(join(temporaryFolder(t), 'releases'))
  const common = { store, contentDir, registryVersion: '1.0.0', note: 'N.' }
  let hours = 0
  const nextHour = () => Date.parse('2026-05-01T00:00:00Z') + (hours += 1) * 3_600_000
  const publish = (status: Status) => {
    writeContent(contentDir, 'status.yaml', JSON.stringify(status))
    return publishRelease({ ...common, nowMs: nextHour() })
  }
  const readAll = async () => {
    const app = await runApp(t, { releases: loadReleases(store) })
    const text = async (address: string) => (await app.fetch(address)).text()
    const items = (
      await Promise.all(
        ['status', 'changelog'].map(async (name) =>
          parseJsonFeed(JSON.parse(await text(`/en/${name}.json`))),
        ),
      )
    ).flatMap((feed) => feed.items ?? [])
    const calendar = await text('/en/maintenance.ics')
    return {
      ids: items.map(({ id = '' }) => id).toSorted(),
      modified: Object.fromEntries(
        items.map((item) => [item.id?.split(':')[2], item.date_modified]),
      ),
      event: /UID:(.*)[^]*SEQUENCE:(.*)/
        .exec(calendar)
        ?.slice(1)
        .map((each) => each.trim()),
      changedAt: /LAST-MODIFIED:(.*)\r/.exec(calendar)?.[1],
    }
  }
  const first = made({ state: 'major_outage' })
  await publish(first)
  const before = await readAll()
  assert.deepEqual(before.event, ['maintenance-disk-swap@127.0.0.1', '0'])
  // Every date of an item is corrected, over midnight.
  const [open, over] = first.incidents
  const [planned, ...others] = first.maintenances ?? []
  assert.ok(open && over && planned)
  const corrected = { ...over, startedAt: '2026-01-31T23:50:00Z' }
  const later = { startsAt: '2026-04-02T02:00:00Z', endsAt: '2026-04-02T04:00:00Z' }
  const maintenances = [{ ...planned, ...later }, ...others]
  editContent(contentDir, 'changelog', 'date: 2026-01-01', 'date: 2025-12-31')
  await publish({ ...first, incidents: [open, corrected], maintenances })
  const after = await readAll()
  assert.deepEqual(after.ids, before.ids)
  assert.deepEqual(after.event, ['maintenance-disk-swap@127.0.0.1', '2'])
  assert.equal(after.changedAt, '20260501T020000Z')
  assert.equal(after.modified['incidents/over'], '2026-05-01T02:00:00.000Z')
  assert.equal(after.modified['incidents/open'], '2026-05-01T01:00:00.000Z')
  assert.equal(after.modified['releases/0.1.0'], '2026-05-01T02:00:00.000Z')
  await rollBackRelease({ ...common, snapshotId: 'VS-0001', nowMs: nextHour() })
  const back = await readAll()
  assert.deepEqual(back.ids, before.ids)
  assert.deepEqual(back.event, ['maintenance-disk-swap@127.0.0.1', '4'])
  assert.equal(back.changedAt, '20260501T030000Z')
  assert.equal(back.modified['incidents/over'], '2026-05-01T03:00:00.000Z')
})

test('a calendar without events is a valid calendar', async (t) => {
  for (const maintenances of [[], undefined]) {
    const { maintenances: _, ...others } = made()
    const status = maintenances === undefined ? others : { ...others, maintenances }
    const { text } = await (await serve(t, status))('/en/maintenance.ics', CALENDAR)
    contentLines(text)
    const calendar = new ICAL.Component(ICAL.parse(text) as unknown[])
    assert.equal(calendar.getAllSubcomponents('vevent').length, 0)
    assert.equal(calendar.getAllSubcomponents().length, 1)
  }
})

test('any text survives folding and escaping', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (raw) => {
      // Neither control characters nor hidden ones are published.
      const text = escapeHidden(raw.replaceAll(/\p{Cc}/gu, ' '))
      const calendar = calendarComponent('VCALENDAR', [
        ['VERSION', '2.0'],
        ['X-TEXT', calendarText(`${text}\n${text};,\\`)],
      ])
      contentLines(calendar)
      const parsed = new ICAL.Component(
        ICAL.parse(calendar.replace('X-TEXT', 'SUMMARY')) as unknown[],
      )
      assert.equal(parsed.getFirstPropertyValue('summary'), `${text}\n${text};,\\`)
    }),
    { numRuns: 300, seed: 20261123 },
  )
})

test('the status page says how to subscribe, with addresses that exist', async (t) => {
  const app = await runApp(t, { releases: releasesOf({ status: made() }) })
  for (const locale of LOCALES) {
    const page = parsePage(await (await app.fetch(pathOfPage(locale, 'status'))).text())
    const [section] = page.all('section[aria-labelledby="subscribe"]')
    assert.ok(section !== undefined)
    const paths = section
      .querySelectorAll('a')
      .map((each) => attributeOf(each, 'href') ?? '')
      .filter((href) => href.startsWith('/'))
    const ofAll = paths.filter((path) => !path.includes('/components/'))
    assert.deepEqual(ofAll.slice(0, 3), [
      `/${locale}/status.atom`,
      `/${locale}/status.json`,
      `/${locale}/maintenance.ics`,
    ])
    for (const path of paths) assert.equal((await app.fetch(path)).status, 200, path)
    const text = textIn(section)
    for (const name of [
      'Slack',
      'Microsoft Teams',
      'Discord',
      TEXTS[locale].status.subscribe.mail,
    ]) {
      assert.ok(text.includes(name), name)
    }
    assert.match(text, new RegExp(`/feed subscribe https?://\\S+/${locale}/status\\.atom`))
    assert.match(text, new RegExp(`<img src="https?://\\S+/${locale}/badge\\.svg" alt="[^"]+">`))
  }
})

test('the badge says the state in words, as of when, and can be embedded', async (t) => {
  const read = await serve(t)
  const page = (await read('/en/status', 'text/html; charset=utf-8')).headers.get('cache-control')
  for (const [path, locale] of [
    ['/badge.svg', 'en'],
    ...LOCALES.map((each) => [`/${each}/badge.svg`, each]),
  ] as const) {
    const { text, headers } = await read(path, SVG)
    assert.equal(headers.get('cache-control'), page)
    assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin')
    const texts: { [name: string]: string } = {}
    let name = ''
    const parser = new SaxesParser({ xmlns: true })
    parser.on('error', (error) => assert.fail(error))
    parser.on('opentag', (tag) => {
      name = tag.name
      // Nothing that an image may not load, and no style that CSP refuses.
      assert.ok(
        !['script', 'style', 'image', 'use'].includes(name) &&
          tag.attributes['style'] === undefined,
      )
    })
    parser.on('text', (value) => (texts[name] = `${texts[name] ?? ''}|${value}`))
    parser.write(text).close()
    const label = TEXTS[locale as 'en'].labels.componentState.partial_outage
    assert.ok(texts['title']?.includes(label) && texts['text']?.includes(label), text)
    assert.match(texts['text'] ?? '', /(?:2026|2569).*UTC/)
  }
  const damaged = await runApp(t, {
    releases: releasesOf({ status: made() }, { damaged: ['status'] }),
  })
  const unknown = await (await damaged.fetch('/badge.svg')).text()
  assert.match(unknown, new RegExp(TEXTS.en.badge.unknown))
  assert.ok(!unknown.includes('Operational'))
})

test('a maintenance that was cancelled or removed stays in the calendar for 90 days', async (t) => {
  const contentDir = makeContent(t)
  const store = openReleaseStore(join(temporaryFolder(t), 'releases'))
  const common = { store, contentDir, registryVersion: '1.0.0', note: 'N.' }
  let atMs = Date.parse('2026-05-01T00:00:00Z')
  const publish = (status: Status) => {
    writeContent(contentDir, 'status.yaml', JSON.stringify(status))
    return publishRelease({ ...common, nowMs: (atMs += 3_600_000) })
  }
  const read = async (daysLater = 0) => {
    const app = await runApp(t, { releases: loadReleases(store) })
    app.clock.ms = atMs + daysLater * 86_400_000
    const text = await (await app.fetch('/en/maintenance.ics')).text()
    contentLines(text)
    return Object.fromEntries(
      [...text.matchAll(/UID:maintenance-(.*)@[^]*?SEQUENCE:(\d+)[^]*?STATUS:(\w+)/g)].map(
        ([, id, sequence, state]) => [id, `${sequence} ${state}`],
      ),
    )
  }
  const first = made({ state: 'major_outage' })
  const [planned] = first.maintenances ?? []
  assert.ok(planned)
  await publish({ ...first, maintenances: [planned] })
  assert.deepEqual(await read(), { 'disk-swap': '0 CONFIRMED' })
  const [update] = planned.updates
  const cancelled = {
    ...planned,
    state: 'cancelled',
    updates: [
      { ...update, at: '2026-04-30T00:00:00Z', state: 'cancelled', text: 'Not now.' },
      ...planned.updates,
    ],
  } as typeof planned
  await publish({ ...first, updatedAt: '2026-04-30T00:00:00Z', maintenances: [cancelled] })
  assert.deepEqual(await read(), { 'disk-swap': '2 CANCELLED' })
  assert.deepEqual(await read(89), { 'disk-swap': '2 CANCELLED' })
  assert.deepEqual(await read(91), {})
  // Taken out by hand, and back by a rollback.
  await publish({ ...first, maintenances: [] })
  assert.deepEqual(await read(), { 'disk-swap': '3 CANCELLED' })
  assert.deepEqual(await read(89), { 'disk-swap': '3 CANCELLED' })
  await rollBackRelease({ ...common, snapshotId: 'VS-0001', nowMs: (atMs += 3_600_000) })
  assert.deepEqual(await read(), { 'disk-swap': '4 CONFIRMED' })
})
