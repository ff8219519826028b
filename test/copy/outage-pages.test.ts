import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import {
  SNAPSHOT_SCHEMAS,
  type SnapshotData,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import { DAY_MS } from '@public-api/contract/text/instant'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { listCopyFiles } from '../../src/copy/copy-source.ts'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import type { PublishedHistory } from '../../src/service/releases/releases.ts'
import { key } from '../client/scripted-client.ts'
import { releasesOf } from '../support/made-content.ts'
import { parsePage, textIn } from '../support/page-markup.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import {
  CALM_STATUS,
  minutesAgo,
  OPEN_INCIDENT,
  OUTAGE_STATUS,
  pastIncident,
  PLANNED_MAINTENANCE,
  TROUBLE_NOW_MS,
} from '../support/trouble-content.ts'

const ORIGIN = 'https://api.example.org'
const COPY = 'https://status.example.net'
const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

type Queue = SnapshotData<'development-queue'>

/** The text files of a copy with their keys, by path. */
async function keyedCopyOf(releases: PublishedHistory, nowMs: number) {
  const files = new Map<string, { readonly key: string | undefined; readonly text: string }>()
  const options = {
    releases,
    cards: [],
    program: 'of the test',
    origin: ORIGIN,
    baseUrl: COPY,
    keyId: key.keyId,
    clock: { nowMs: () => nowMs },
    log: SILENT,
  }
  for await (const { file, key: keyOfFile, make } of listCopyFiles(options)) {
    if (!/^(?:archive|assets|reference)/.test(file)) {
      files.set(file, { key: keyOfFile, text: Buffer.from(await make()).toString() })
    }
  }
  return files
}

/** The text files of a copy, by path. */
async function copyOf(releases: PublishedHistory): Promise<ReadonlyMap<string, string>> {
  const files = await keyedCopyOf(releases, TROUBLE_NOW_MS)
  return new Map(Array.from(files, ([file, { text }]) => [file, text]))
}

const textOf = (text: string): string => text.replaceAll(/\s+/g, ' ')

test('a page of a copy answers the questions of an outage, and names its own addresses', async () => {
  const files = await copyOf(
    releasesOf({ status: OUTAGE_STATUS }, { earlier: [], createdAt: minutesAgo(40) }),
  )
  for (const locale of LOCALES) {
    const { labels, status: t } = TEXTS[locale]
    for (const page of ['', 'status/']) {
      const source = files.get(`${locale}/${page}index.html`) ?? ''
      const markup = parsePage(source)
      const main = textOf(markup.all('main').map(textIn).join(' '))
      for (const [question, answer] of [
        ['what is broken', labels.componentState.major_outage],
        ['what is broken', OPEN_INCIDENT.title],
        ['is it known', labels.incidentState.identified],
        ['what is done', OPEN_INCIDENT.updates[0]?.text ?? 'an update'],
        ['what is next', PLANNED_MAINTENANCE.title],
      ] as const) {
        assert.ok(main.includes(textOf(answer)), `${locale}/${page}: ${question}: ${answer}`)
      }
      // Since when: the script keeps the age current, without asking the service.
      const since = markup.all('main [data-elapsed]').map((each) => each.attribute('data-elapsed'))
      assert.deepEqual(since, [OPEN_INCIDENT.startedAt], `${locale}/${page}`)
      assert.equal(markup.all('#copy')[0]?.attribute('data-version'), 'VS-0001')
    }
    const twin = files.get(`${locale}/status.md`) ?? ''
    assert.ok(twin.includes(OPEN_INCIDENT.title) && twin.includes(PLANNED_MAINTENANCE.title))

    // What a visitor subscribes to is the copy: the service is away.
    const subscribe = parsePage(files.get(`${locale}/status/index.html`) ?? '')
      .all('main')
      .map(textIn)
      .join(' ')
    assert.ok(subscribe.includes(`${COPY}/${locale}/maintenance.ics`), t.subscribe.heading)
    assert.ok(subscribe.includes(`${COPY}/${locale}/status.atom`))
    const feed = JSON.parse(files.get(`${locale}/status.json`) ?? '{}') as {
      readonly feed_url: string
      readonly home_page_url: string
      readonly items: readonly { readonly id: string; readonly url: string }[]
    }
    const addresses = [feed.feed_url, feed.home_page_url, ...feed.items.map(({ url }) => url)]
    assert.ok(addresses.length > 3)
    for (const address of addresses) assert.ok(address.startsWith(`${COPY}/${locale}/`), address)
    // The names of entries are those of the service, so that a reader of both sees each once.
    for (const { id } of feed.items) assert.match(id, /^tag:api\.example\.org,/)
    const calendar = (files.get(`${locale}/maintenance.ics`) ?? '').replaceAll('\r\n ', '')
    assert.match(calendar, new RegExp(`^URL:${COPY}/${locale}/status/maintenances/`, 'm'))
  }
  const { incidents } = JSON.parse(
    files.get('statuspage/api/v2/incidents/unresolved.json') ?? '{}',
  ) as { readonly incidents: readonly { readonly shortlink: string }[] }
  assert.deepEqual(
    incidents.map(({ shortlink }) => shortlink.startsWith(`${COPY}/`)),
    [true],
  )
})

test('a copy takes no registrations, and its page leads to the form of the service', async () => {
  const files = await copyOf(releasesOf({ status: CALM_STATUS }, { createdAt: minutesAgo(40) }))
  for (const locale of LOCALES) {
    const source = files.get(`${locale}/early-access/index.html`) ?? ''
    const page = parsePage(source)
    assert.equal(page.all('main form').length + page.all('main noscript').length, 0)
    assert.doesNotMatch(source, /early-access-page/)
    const form = `${ORIGIN}/${locale}/early-access`
    const links = page.all('main a').map((link) => link.attribute('href'))
    assert.ok(links.includes(form), locale)
    assert.ok(files.get(`${locale}/early-access.md`)?.includes(form), locale)
  }
})

test('a copy keeps the feed of a removed component, whose last entry says so', async () => {
  const former = CALM_STATUS.components
    .slice(0, 1)
    .map((each) => ({ ...each, id: 'former', name: 'Former name' }))
  const components = [...CALM_STATUS.components, ...former]
  const files = await copyOf(
    releasesOf(
      { status: CALM_STATUS },
      {
        earlier: [{ createdAt: minutesAgo(3000), status: { ...CALM_STATUS, components } }],
        createdAt: minutesAgo(40),
      },
    ),
  )
  for (const locale of LOCALES) {
    const feed = files.get(`${locale}/status/components/former.json`) ?? ''
    const { items } = JSON.parse(feed) as { items: readonly { readonly title: string }[] }
    const { componentRemoved } = TEXTS[locale].feed
    assert.deepEqual(
      items.map(({ title }) => title),
      [withoutLineMarks(plainText(componentRemoved, { component: 'former' }))],
    )
    assert.doesNotMatch(feed, /Former name/)
    assert.match(files.get(`${locale}/status/components/former.atom`) ?? '', /<entry>/)
  }
})

test('a copy has the pages of removed incidents, and links that only the service has name it', async () => {
  const removed = pastIncident(1, 'payments')
  const files = await copyOf(
    releasesOf(
      {
        status: {
          ...CALM_STATUS,
          updatedAt: minutesAgo(30),
          incidents: [],
          maintenances: [],
        },
      },
      {
        earlier: [
          {
            createdAt: minutesAgo(3000),
            status: { ...CALM_STATUS, incidents: [removed], maintenances: [PLANNED_MAINTENANCE] },
          },
        ],
        createdAt: minutesAgo(40),
      },
    ),
  )
  for (const locale of LOCALES) {
    const { status, since } = TEXTS[locale]
    const title = plainText(status.removedTitle, { title: removed.title })
    const below = `${locale}/status/incidents/${removed.id}`
    const page = parsePage(files.get(`${below}/index.html`) ?? '')
    assert.ok(page.all('title').map(textIn).join().startsWith(title), below)
    assert.equal(textOf(page.all('h1').map(textIn).join()).trim(), title)
    assert.match(files.get(`${below}.md`) ?? '', /VS-0002/)
    const work = `status/maintenances/${PLANNED_MAINTENANCE.id}`
    assert.match(files.get(`${locale}/${work}.md`) ?? '', /VS-0002/)
    const month = `${locale}/status/${PLANNED_MAINTENANCE.startsAt.slice(0, 7)}`
    const listed = parsePage(files.get(`${month}/index.html`) ?? '').all('main a')
    assert.ok(
      listed.some((link) => link.attribute('href') === `/${locale}/${work}`),
      month,
    )
    const sitemap = await readSitemap((path) => files.get(path.slice(1)) ?? '')
    assert.ok(sitemap.includes('/status/') && !sitemap.includes(removed.id))

    const old = parsePage(files.get(`${locale}/history/VS-0001/index.html`) ?? '')
    const [notice] = old.all('#copy')
    assert.equal(notice?.attribute('data-version'), 'VS-0001')
    assert.notEqual(notice?.attribute('data-of-version'), undefined)
    const away = old.all('main a').filter((link) => link.attribute('href')?.includes('/since/'))
    assert.deepEqual(
      away.map((link) => [link.attribute('href'), textIn(link)]),
      [[`${ORIGIN}/${locale}/history/since/VS-0001`, `${since.changes} (api.example.org)`]],
    )
  }
})

test('pages of incidents and months stay as they are while others change, but for what says how long ago', async () => {
  const [ended, fresh] = [pastIncident(40, 'payments'), pastIncident(0, 'payments')]
  const status = { ...OUTAGE_STATUS, incidents: [OPEN_INCIDENT, fresh, ended] }
  const queue = createExample(SNAPSHOT_SCHEMAS['development-queue'])
  /** Two versions of one status, the newest of which publishes a queue. */
  const releases = (summary: string) =>
    releasesOf(
      { status, 'development-queue': { ...(queue as Queue), summary } },
      {
        previous: ({ 'development-queue': _, ...own }) => own,
        createdAt: minutesAgo(40),
      },
    )
  const [before, after, later] = [
    await keyedCopyOf(releases('The second queue.'), TROUBLE_NOW_MS),
    await keyedCopyOf(releases('The third queue.'), TROUBLE_NOW_MS),
    await keyedCopyOf(releases('The third queue.'), TROUBLE_NOW_MS + DAY_MS),
  ]
  const below = (id: string) => `en/status/incidents/${id}/index.html`
  const page = parsePage(before.get(below(ended.id))?.text ?? '')
  const [notice] = page.all('#copy')
  assert.equal(notice?.attribute('data-version'), 'VS-0001')
  assert.notEqual(notice?.attribute('data-of-events'), undefined)
  assert.match(before.get(`en/status/incidents/${ended.id}.md`)?.text ?? '', /VS-0001/)
  assert.match(before.get('en/status/index.html')?.text ?? '', /data-version="VS-0002"/)
  for (const newer of [after, later]) {
    const known = [...newer].filter(([file, { key: own }]) => own && own === before.get(file)?.key)
    assert.ok(known.some(([file]) => file === below(ended.id)))
    assert.ok(known.some(([file]) => /^th\/status\/\d{4}-\d\d\.md$/.test(file)))
    for (const [file, { text }] of known) assert.ok(text === before.get(file)?.text, file)
  }
  const month = `en/status/${new Date(TROUBLE_NOW_MS).toISOString().slice(0, 7)}.md`
  for (const file of [below(OPEN_INCIDENT.id), month]) {
    assert.equal(after.get(file)?.key, before.get(file)?.key, file)
    assert.notEqual(later.get(file)?.key, after.get(file)?.key, file)
  }
})

test('the pages of every version that had a redacted resource are made again', async () => {
  const status = { ...CALM_STATUS, summary: 'A name that is redacted.' }
  const releases = releasesOf(
    { status: CALM_STATUS },
    {
      // The second version has the resource without changing it.
      earlier: [4000, 3000].map((age) => ({ createdAt: minutesAgo(age), status })),
      createdAt: minutesAgo(40),
    },
  )
  const { resources } = JSON.parse(releases.version('VS-0001')?.json ?? '') as VersionEntry
  const digest = resources['status'] ?? ''
  const redaction = { resource: 'status', digest, reason: 'R.', redactedAt: minutesAgo(10) }
  const redacted: PublishedHistory = {
    ...releases,
    redactions: [redaction],
    readResource: (name, own) => (own === digest ? undefined : releases.readResource(name, own)),
  }
  const before = await keyedCopyOf(releases, TROUBLE_NOW_MS)
  const after = await keyedCopyOf(redacted, TROUBLE_NOW_MS)
  const link = `/archive/resources/status/${digest}.json`
  assert.ok(before.get('en/history/VS-0002/index.html')?.text.includes(link))
  for (const [file, { key: own, text }] of after) {
    assert.ok(!text.includes(link), file)
    const known = before.get(file)
    if (own !== undefined && own === known?.key) assert.ok(text === known.text, file)
  }
})
