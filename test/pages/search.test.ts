import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { createSearch, type Piece, type Place } from '../../src/browser/search-matches.ts'
import { html } from '../../src/pages/markup/html.ts'
import type { Page, PageContext } from '../../src/pages/page.ts'
import { renderSearchIndex, type SearchIndex } from '../../src/pages/search/search-index.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf } from '../support/made-content.ts'
import { parsePage, textIn } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import {
  CALM_STATUS,
  OUTAGE_STATUS,
  pastIncident,
  TROUBLE_NOW_MS,
} from '../support/trouble-content.ts'

const MAX_INDEX_BYTES_GZIPPED = 60_000

const [, EXAMPLE = {}] = SITE_VARIANTS.find(([name]) => name.includes('example')) ?? []

/** What the script searches: the pages of both indexes. */
async function readIndex(app: RunningApp, locale: Locale): Promise<SearchIndex> {
  const pages: SearchIndex['pages'][number][] = []
  for (const name of ['search', 'search-events']) {
    const response = await app.fetch(`/${locale}/${name}.json`)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(response.headers.get('content-language'), locale)
    const text = await response.text()
    assert.ok(Buffer.byteLength(text) <= 200_000)
    pages.push(...(JSON.parse(text) as SearchIndex).pages)
  }
  return { pages }
}

function placesOf({ pages }: SearchIndex): readonly Place[] {
  return pages.flatMap(({ path, title, entries }) =>
    entries.map(([id, heading, text]) => ({ path, title, id, heading, text })),
  )
}

test('the index has every page in the navigation, and names places that exist', async (t) => {
  const app = await runApp(t, EXAMPLE)
  for (const locale of LOCALES) {
    const index = await readIndex(app, locale)
    assert.ok(gzipSync(JSON.stringify(index)).length < MAX_INDEX_BYTES_GZIPPED)
    const home = parsePage(await (await app.fetch(`/${locale}`)).text())
    const paths = new Set(index.pages.map(({ path }) => path))
    for (const link of home.all('nav.pages a')) {
      assert.ok(paths.has(link.attribute('href') ?? ''))
    }
    if (locale !== 'th') continue
    for (const { path, entries } of index.pages) {
      const { ids } = parsePage(await (await app.fetch(path)).text())
      const missing = entries.filter(([id], at) => at > 0 && !ids.includes(id))
      assert.deepEqual(missing, [], path)
      assert.ok(!entries.some((entry) => entry.some((text) => /[\u200b\u2060]/.test(text))))
    }
  }
})

test('long texts are found by their beginning, and every page by its names', async () => {
  const context = {
    locale: 'th',
    texts: TEXTS.th,
    facts: { isLeftOut: () => false },
  } as unknown as PageContext
  const pageOf = (nth: number, text: string): Page => ({
    path: `page-${nth}`,
    title: () => `Page ${nth}`,
    description: () => '',
    body: () => ({
      main: html`<h2 id="place">Place ${nth}</h2>
        <p>${text}</p>`,
    }),
  })
  const indexOf = async (text: string): Promise<SearchIndex> => {
    const pages = Array.from({ length: 100 }, (_, nth) => pageOf(nth, text))
    const json = await renderSearchIndex(context, pages)
    assert.ok(Buffer.byteLength(json) <= 200_000)
    return JSON.parse(json) as SearchIndex
  }
  const whole = await indexOf('ก'.repeat(600))
  assert.equal(whole.note, undefined)
  assert.equal(whole.pages[99]?.entries[1]?.[2].length, 600)
  const cut = await indexOf('ก'.repeat(700))
  assert.match(cut.note ?? '', /500/)
  assert.equal(cut.pages.length, 100)
  assert.deepEqual(cut.pages[99]?.entries[1], ['place', 'Place 99', 'ก'.repeat(500)])
  // No half of a character stays.
  const emoji = await indexOf(`a${'😀'.repeat(600)}`)
  assert.equal(emoji.pages[99]?.entries[1]?.[2], `a${'😀'.repeat(249)}`)
})

test('the search says that it has only the newest of many incidents', async (t) => {
  const noteOf = async (count: number) => {
    const incidents = Array.from({ length: count }, (_, nth) => pastIncident(nth + 20, 'service-1'))
    const status = { ...CALM_STATUS, incidents }
    const app = await runApp(t, { releases: releasesOf({ status }) })
    const text = await (await app.fetch('/en/search-events.json')).text()
    return (JSON.parse(text) as SearchIndex).note
  }
  assert.equal(await noteOf(100), undefined)
  assert.match((await noteOf(101)) ?? '', /only the newest 100 are searchable/)
})

test('the index has no ages that only the script of a page keeps current', async (t) => {
  const app = await runApp(t, { releases: releasesOf({ status: OUTAGE_STATUS }) })
  app.clock.ms = TROUBLE_NOW_MS
  const page = parsePage(await (await app.fetch('/en/status')).text())
  const ages = page.all('[data-ago], [data-elapsed]').map(textIn)
  assert.equal(ages.length, 2)
  const index = await (await app.fetch('/en/search.json')).text()
  assert.deepEqual(
    ages.filter((age) => index.includes(age)),
    [],
  )
  assert.ok(!index.includes('Updated '))
})

test('the index has no space before the punctuation of a sentence', async (t) => {
  const { pages } = await readIndex(await runApp(t, EXAMPLE), 'en')
  const texts = pages.flatMap(({ entries }) => entries.flat())
  assert.deepEqual(
    texts.filter((text) => / [,.;)](?: |$)/.test(text)),
    [],
  )
})

test('words of three languages find the place that they name', async (t) => {
  const app = await runApp(t, EXAMPLE)
  const searches = new Map<string, ReturnType<typeof createSearch>>()
  for (const locale of LOCALES) {
    searches.set(locale, createSearch(placesOf(await readIndex(app, locale)), locale))
  }
  const first = (locale: Locale, query: string) => {
    const [match] = searches.get(locale)?.(query) ?? []
    return match && `${match.place.path}#${match.place.id}`
  }
  for (const [locale, query, expected] of [
    ['en', 'status', /^\/en\/status#$/],
    ['th', 'สถานะ', /^\/th\/status#$/],
    ['zh-CN', '状态', /^\/zh-CN\/status#$/],
    ['en', 'roadmap', /^\/en\/roadmap#$/],
    ['en', 'privacy', /^\/en\/privacy#$/],
    ['en', 'statsu', /^\/en\/status#$/],
    ['en', 'RATE_LIMITED', /^\/en\/errors#/],
    ['en', 'rate limited', /^\/en\/errors#/],
    ['en', 'join the waitlist', /^\/en\/(?:reference\/early-access#register|early-access#)/],
    ['en', 'incidents', /^\/en\/status#incidents$/],
    ['en', 'key to pin', /^\/en\/verify#key$/],
    ['en', 'python', /^\/en\/(?:verify|reference)#/],
    ['en', 'forecast late', /^\/en\/status\/incidents\//],
    ['th', 'เหตุขัดข้อง', /^\/th\/status#/],
    ['th', 'ตรวจสอบลายเซ็น', /^\/th[/#]/],
    ['zh-CN', '计划维护', /^\/zh-CN\/(?:status#|reference\/snapshots#status)/],
    ['zh-CN', '密钥签名', /^\/zh-CN[/#]/],
    ['zh-CN', 'ＡＰＩ', /^\/zh-CN[/#]/],
  ] as const) {
    assert.match(first(locale, query) ?? 'nothing', expected, query)
  }
  for (const locale of LOCALES) {
    const { heading } = TEXTS[locale].status.subscribe
    assert.equal(first(locale, heading), `/${locale}/status#subscribe`)
  }
  for (const query of ['', '   ', 'qqqqzzzz', '\u0000', '*'.repeat(100)]) {
    assert.equal(first('en', query), undefined, query)
  }
})

const place = (id: string, heading: string, text: string, path = `/en/${id}`): Place => ({
  path,
  title: 'Page',
  id,
  heading,
  text,
})

test('excerpts and names mark the words that were found', () => {
  const text = `${'before '.repeat(40)}Needle${' after'.repeat(40)}`
  const [match] = createSearch([place('a', 'One needle (2)', text)], 'en')('NEEDLE 2')
  const written = (pieces: readonly Piece[] = []) =>
    pieces.map((piece) => (piece.isHit ? `[${piece.text}]` : piece.text)).join('')
  assert.equal(written(match?.name), 'One [needle] ([2])')
  assert.match(written(match?.excerpt), /^….*before \[Needle\] after.*…$/)
  assert.ok(written(match?.excerpt).length < 150)
  // Each emoji is two units of UTF-16.
  const emoji = `${'😀'.repeat(40)} needle ${'😀'.repeat(80)}`
  const [among] = createSearch([place('a', 'One', emoji)], 'en')('needle')
  assert.match(written(among?.excerpt), /^…😀+ \[needle\] 😀+…$/u)
})

test('places with all words are found, or else those with some', () => {
  const search = createSearch(
    [
      place('some', 'Key key key', ''),
      place('all', 'Other', 'a signing key'),
      place('both', 'Signing key', ''),
    ],
    'en',
  )
  const ids = (query: string) => search(query).map((each) => each.place.id)
  assert.deepEqual(ids('signing key'), ['both', 'all'])
  assert.deepEqual(ids('key of nothing').toSorted(), ['all', 'both', 'some'])
})

test('every word of the index in a script without spaces finds every page that has it', async (t) => {
  const app = await runApp(t, EXAMPLE)
  for (const [locale, letters] of [
    ['th', /[\u0e01-\u0e5b]{3,}/u],
    ['zh-CN', /\p{Script=Han}{2,}/u],
  ] as const) {
    const places = placesOf(await readIndex(app, locale))
    const search = createSearch(places, locale)
    const textOf = (each: Place): string => `${each.title} ${each.heading} ${each.text}`
    const segmenter = new Intl.Segmenter(locale, { granularity: 'word' })
    const words = new Set(
      places.flatMap((each) => [...segmenter.segment(textOf(each))].map(({ segment }) => segment)),
    )
    const looked = [...words].filter((word) => letters.test(word)).filter((_, nth) => nth % 5 === 0)
    assert.ok(looked.length > 100, `${locale}: ${looked.length} words`)
    for (const word of ['บำรุงรักษา', 'จำนวน', 'คีย์', '密钥', ...looked]) {
      const having = new Set(
        places.filter((each) => textOf(each).includes(word)).map(({ path }) => path),
      )
      const found = new Set(search(word).map((each) => each.place.path))
      // A page of results ends at 20.
      const missing = [...having].filter((path) => !found.has(path))
      assert.ok(missing.length === 0 || found.size === 20, `${locale} ${word}: ${missing.join()}`)
    }
  }
})

test('a page is one result with its other places, and first by its title', () => {
  const search = createSearch(
    [
      place('', '', 'Cards are declined', '/en/incident'),
      place('updates', 'Updates', 'declined', '/en/incident'),
      place('affected', 'Affected', 'declined', '/en/incident'),
      { ...place('', '', 'Meridian Clearing', '/en'), title: 'Overview' },
      { ...place('', '', 'declined', '/en/status'), title: 'Status' },
    ],
    'en',
  )
  const [incident, ...rest] = search('declined')
  assert.deepEqual(
    [incident?.place.path, incident?.others.length, rest.length],
    ['/en/incident', 2, 1],
  )
  assert.equal(search('Status · Meridian Clearing')[0]?.place.path, '/en/status')
})
