import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type SnapshotData,
  SNAPSHOT_NAMES,
  SNAPSHOT_SCHEMAS,
  type SnapshotName,
} from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import type { JsonSchema } from '@public-api/contract/terms/schema-type'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { plainText } from '../../src/pages/markup/rich-text.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import type { PublishedHistory } from '../../src/service/releases/releases.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn, type PageMarkup } from '../support/page-markup.ts'
import { publishedReleases } from '../support/published-releases.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { titleIn } from '../support/snapshot-title.ts'
import { useFileScope } from '../support/test-scope.ts'

/** The page that shows a resource. */
function pageOf(name: SnapshotName): string {
  if (name === 'development-queue') return 'roadmap'
  return name.split('/')[0] ?? name
}

/** The resources that a page shows. A snapshot may be served by the API alone. */
const SHOWN = SNAPSHOT_NAMES.filter((name) => PAGES.some((page) => page.path === pageOf(name)))

/** A string of published data and what its schema says of it. */
interface Leaf {
  readonly where: string
  readonly schema: JsonSchema
  readonly value: string
}

function leavesOf(schema: JsonSchema, value: unknown, where: string): readonly Leaf[] {
  if (typeof value === 'string') return [{ where, schema, value }]
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => leavesOf(schema.items ?? {}, item, `${where}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    leavesOf(schema.properties?.[name] ?? {}, member, `${where}.${name}`),
  )
}

interface Shown {
  readonly markup: PageMarkup
  readonly text: string
  readonly source: string
  /** The texts of the times by their machine-readable values. */
  readonly times: ReadonlyMap<string | undefined, readonly string[]>
}

/** A page; that of the status with the pages of all incidents and maintenances. */
async function show(app: RunningApp, locale: Locale, page: string): Promise<Shown> {
  const shown = await showPage(app, locale, page)
  if (page !== 'status') return shown
  const { data } = (await (await app.fetch('/api/v1/status')).json()) as {
    data?: { [list: string]: readonly { readonly id: string }[] }
  }
  const pages = await Promise.all(
    ['incidents', 'maintenances'].flatMap((kind) =>
      (data?.[kind] ?? []).map(({ id }) => showPage(app, locale, `status/${kind}/${id}`)),
    ),
  )
  const times = new Map(shown.times)
  for (const each of pages) {
    for (const [value, texts] of each.times)
      times.set(value, [...(times.get(value) ?? []), ...texts])
  }
  return { ...shown, times, text: [shown, ...pages].map(({ text }) => text).join(' ') }
}

async function showPage(app: RunningApp, locale: Locale, page: string): Promise<Shown> {
  const source = await app.text(pathOfPage(locale, page))
  const markup = parsePage(source)
  const times = new Map<string | undefined, string[]>()
  for (const time of markup.all('time')) {
    const value = time.attribute('datetime')
    times.set(value, [...(times.get(value) ?? []), withoutLineMarks(textIn(time))])
  }
  return { markup, source, times, text: markup.all('main').map(textIn).join(' ') }
}

/** The words that stand for a machine word anywhere in the locale file's lists. */
function wordsFor(locale: Locale, word: string): readonly string[] {
  return Object.values(TEXTS[locale].labels).flatMap((list) =>
    Object.entries(list).flatMap(([key, text]) => (key === word ? [text] : [])),
  )
}

/** Shown for the views that the overview names, which made content does not. */
const VIEW_DATE = /^wallet\/.*\.updatedAt$/

const formatters = new Map<string, Intl.DateTimeFormat>()

function format(locale: Locale, value: string, options: Intl.DateTimeFormatOptions): string {
  const name = `${locale} ${JSON.stringify(options)}`
  const formatter = formatters.get(name) ?? new Intl.DateTimeFormat(locale, options)
  formatters.set(name, formatter)
  return formatter.format(new Date(value))
}

const DATE = { dateStyle: 'medium', timeZone: 'UTC' } as const
const TIME = { timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' } as const

/** A day, a moment, or an end of a range, which names the zone once and the day of both once, as the pages write it. */
function writtenTimes(
  locale: Locale,
  value: string,
  kind: 'day' | 'moment' | 'start' | 'end',
): readonly string[] {
  if (kind === 'day') return [format(locale, value, DATE)]
  const moment = format(locale, value, { ...DATE, ...TIME })
  if (kind === 'start') return [moment]
  return [`${moment} UTC`, ...(kind === 'end' ? [`${format(locale, value, TIME)} UTC`] : [])]
}

/** Since when a component has its state, and when a view of the wallet was reviewed, are days. */
function kindOf({ where, schema }: Leaf): 'day' | 'moment' | 'start' | 'end' {
  if (/^status\.maintenances\b.*\.startsAt$/.test(where)) return 'start'
  if (/^status\.maintenances\b.*\.endsAt$/.test(where)) return 'end'
  const isDay = schema.format === 'date' || /\.since$|^wallet\b.*\.updatedAt$/.test(where)
  return isDay ? 'day' : 'moment'
}

/** Whether a page shows a string of its data in the way that its schema asks for. */
function isShown(leaf: Leaf, locale: Locale, { markup, text, times }: Shown): boolean {
  const { where, schema, value } = leaf
  if (schema.enum !== undefined) return wordsFor(locale, value).some((word) => text.includes(word))
  if (schema.format === 'date-time' || schema.format === 'date') {
    const written = writtenTimes(locale, value, kindOf(leaf))
    return [value, value.slice(0, 10)].some((each) =>
      times.get(each)?.some((time) => written.includes(time)),
    )
  }
  // An incident and a maintenance have pages of their own, which were read.
  if (/^status\.(incidents|maintenances)\[\d+\]\.id$/.test(where)) return true
  return text.includes(value) || markup.ids.some((id) => id.endsWith(`-${value}`))
}

/** Links to places within a page that it has not. */
function deadLinks(markup: PageMarkup): readonly string[] {
  return markup
    .all('a[href]')
    .map((link) => attributeOf(link, 'href') ?? '')
    .filter((href) => href.startsWith('#') && !markup.ids.includes(href.slice(1)))
}

/** Whether a release has translations of a resource, so that a page of the locale shows other texts. */
function isTranslated(releases: PublishedHistory, locale: Locale, resource: SnapshotName): boolean {
  const payload = releases.resource(`site/translations/${locale}`)
  return payload !== undefined && payload.json.includes(`"${resource}":`)
}

/** Whether a leaf is a text for people, which an overlay may translate. */
function isText({ schema }: Leaf): boolean {
  return schema.enum === undefined && schema.format === undefined && schema.pattern === undefined
}

/** Since when a component works is not said on the page. */
function isOmitted({ where }: Leaf, data: unknown): boolean {
  const [, index] = /^status\.components\[(\d+)\]\.since$/.exec(where) ?? []
  if (index === undefined) return false
  const { components } = data as SnapshotData<'status'>
  return components[Number(index)]?.state === 'operational'
}

function dataOf(releases: PublishedHistory, name: SnapshotName): unknown {
  const payload = releases.resource(name)
  assert.ok(payload !== undefined)
  return JSON.parse(payload.json)
}

/** Would be markup if it were not escaped, wherever it stood. */
const HOSTILE = (nth: number): string =>
  `</p><script>alert(${nth})</script> "onload='x' &amp; {version} <!-- ${nth}`

const RELEASES: readonly (readonly [name: string, releases: PublishedHistory])[] = [
  ['what is published here', publishedReleases()],
  ['the examples of the schemas', releasesOf({})],
  ['everything that the schemas allow', releasesOf(fullContent((nth) => `Text ${nth}.`))],
  ['texts that would be markup', releasesOf(fullContent(HOSTILE), { note: HOSTILE(0) })],
]

const scope = useFileScope()

for (const [name, releases] of RELEASES) {
  describe(name, () => {
    let running: Promise<RunningApp> | undefined
    // One app, so that each page is rendered once.
    const runOnce = () => (running ??= runApp(scope, { releases }))

    for (const locale of LOCALES) {
      test(`every published text, label, id and date is on its page in ${locale}`, async () => {
        const app = await runOnce()
        for (const resource of SHOWN) {
          const shown = await show(app, locale, pageOf(resource))
          const data = dataOf(releases, resource)
          const leaves = leavesOf(SNAPSHOT_SCHEMAS[resource], data, resource).filter(
            (leaf) =>
              !isOmitted(leaf, data) &&
              (name === 'what is published here' || !VIEW_DATE.test(leaf.where)),
          )
          assert.ok(leaves.length > 1, resource)
          const translated = isTranslated(releases, locale, resource)
          const missing = leaves.filter(
            (leaf) => !isShown(leaf, locale, shown) && !(translated && isText(leaf)),
          )
          assert.deepEqual(
            missing.map(({ where, value }) => `${where}: ${value}`),
            [],
          )
        }
      })
    }

    test('published texts are escaped', async () => {
      const app = await runOnce()
      for (const page of ['', 'status', 'roadmap', 'changelog', 'architecture', 'wallet']) {
        const { markup, source } = await show(app, 'en', page)
        const types = markup.all('main script').map((each) => attributeOf(each, 'type'))
        assert.deepEqual(
          types.filter((type) => type !== 'application/json'),
          [],
          page,
        )
        assert.doesNotMatch(source, /<script>|<!--/, page)
        assert.doesNotMatch(source, /undefined|\[object/, page)
      }
    })

    test('ids are unique and links within a page resolve', async () => {
      const app = await runOnce()
      for (const page of ['', 'status', 'roadmap', 'changelog', 'architecture', 'wallet']) {
        const { markup } = await show(app, 'en', page)
        assert.equal(new Set(markup.ids).size, markup.ids.length, page)
        assert.deepEqual(deadLinks(markup), [], page)
      }
    })
  })
}

test('English content is marked with lang on other pages', async (t) => {
  const releases = releasesOf(fullContent((nth) => `Text ${nth}.`))
  const app = await runApp(t, { releases })
  for (const page of ['status', 'roadmap', 'changelog', 'architecture', 'wallet']) {
    const { markup, text } = await showPage(app, 'th', page)
    const marked = markup.all('main [lang="en"]').map(textIn).join(' ')
    for (const [sentence] of text.matchAll(/Text \d+\./g)) {
      assert.ok(marked.includes(sentence), `${page}: ${sentence}`)
    }
    assert.ok(text.includes(TEXTS.th.snapshot.inEnglish), page)
    const english = await showPage(app, 'en', page)
    assert.equal(english.markup.all('main [lang]').length, 0, page)
    assert.ok(!english.text.includes(TEXTS.en.snapshot.inEnglish), page)
  }
})

test('the page of an event says that texts are in English only if its own are', async (t) => {
  const incident = (id: string, day: string) => ({
    id,
    title: `Flood ${id}`,
    state: 'resolved',
    impact: 'minor',
    startedAt: `${day}T00:00:00Z`,
    resolvedAt: `${day}T01:00:00Z`,
    components: [],
    updates: [{ at: `${day}T01:00:00Z`, state: 'resolved', text: `Day ${day}.` }],
  })
  const name = 'site/events/2024'
  const incidents = [incident('one', '2024-03-01'), incident('two', '2024-02-01')]
  const texts = { title: 'น้ำท่วม', updates: { '2024-03-01T01:00:00Z': { text: 'แห้ง' } } }
  const resources = { [name]: { incidents: { one: texts } } }
  const site = {
    [name]: { incidents },
    'site/translations/th/events/2024': { locale: 'th', resources },
  }
  // Nothing of the status is translated.
  const app = await runApp(t, { releases: releasesOf({}, { site }) })
  for (const [page, isEnglish] of [
    ['status/incidents/one', false],
    ['status/incidents/two', true],
    ['status/2024-03', false],
    ['status/2024-02', true],
  ] as const) {
    const { text } = await showPage(app, 'th', page)
    assert.equal(text.includes(TEXTS.th.snapshot.inEnglish), isEnglish, page)
  }
})

for (const damaged of SHOWN) {
  test(`a damaged ${damaged} resource shows a notice, and the rest of the page renders`, async (t) => {
    const releases = releasesOf(
      fullContent((nth) => `Text ${nth}.`),
      { damaged: [damaged] },
    )
    assert.equal(releases.resource(damaged), undefined)
    const app = await runApp(t, { releases })
    for (const locale of LOCALES) {
      const { snapshot } = TEXTS[locale]
      const { text, source, markup } = await show(app, locale, pageOf(damaged))
      assert.ok(text.includes(snapshot.damagedTitle), locale)
      const damageNotice = plainText(snapshot.damaged, {
        resource: titleIn(locale, damaged),
        version: releases.headSnapshotId,
        path: `/api/v1/${damaged}`,
      })
      assert.ok(text.includes(damageNotice), `${locale}: ${damageNotice}`)
      assert.doesNotMatch(source, /undefined|\[object/)
      assert.deepEqual(deadLinks(markup), [])
    }
    for (const other of SHOWN.filter((each) => each !== damaged)) {
      const shown = await show(app, 'en', pageOf(other))
      const data = dataOf(releases, other)
      const leaves = leavesOf(SNAPSHOT_SCHEMAS[other], data, other).filter(
        (leaf) => !isOmitted(leaf, data) && !VIEW_DATE.test(leaf.where),
      )
      assert.deepEqual(
        leaves.filter((leaf) => !isShown(leaf, 'en', shown)).map(({ where }) => where),
        [],
      )
    }
  })
}
