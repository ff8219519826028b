import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LINKS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { attributeOf, parsePage, type PageMarkup } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { PUBLIC_ORIGIN, SITE_VARIANTS } from '../support/site-variants.ts'

/** What an address leads to, read once. */
interface Found {
  readonly status: number
  /** Undefined unless it is HTML. */
  readonly markup: PageMarkup | undefined
}

/** Asks for addresses of a service, each once. */
function createReader(app: RunningApp): (path: string) => Promise<Found> {
  const found = new Map<string, Promise<Found>>()
  async function read(path: string): Promise<Found> {
    const response = await app.fetch(path)
    const text = await response.text()
    const isHtml = response.headers.get('content-type')?.startsWith('text/html') === true
    return { status: response.status, markup: isHtml ? parsePage(text) : undefined }
  }
  return (path) => {
    const known = found.get(path) ?? read(path)
    found.set(path, known)
    return known
  }
}

/** Attributes that hold an address that is read. */
const ADDRESSES = ['href', 'src'] as const

/** Every address that a page names, as it is written. */
function addressesIn(markup: PageMarkup): readonly string[] {
  return ADDRESSES.flatMap((name) =>
    markup.all(`[${name}]`).map((element) => attributeOf(element, name) ?? ''),
  )
}

/** What is wrong with an address on a page, in words; undefined where it leads to something that is there. */
async function faultOf(
  read: (path: string) => Promise<Found>,
  origin: string,
  path: string,
  address: string,
): Promise<string | undefined> {
  const url = URL.parse(address, origin + path)
  if (url === null) return `${path}: "${address}" is not a URL`
  if (url.protocol === 'mailto:') return undefined
  if (url.origin !== origin) {
    return url.protocol === 'https:' ? undefined : `${path}: ${address} is not reached over https`
  }
  const { status, markup } = await read(url.pathname + url.search)
  // The page of an unknown path may link to itself.
  if (status !== 200 && url.pathname !== path) return `${path}: ${address} answers ${status}`
  const anchor = decodeURIComponent(url.hash.slice(1))
  // A parameter for the script of the page, which looks it up.
  if (anchor === '' || anchor.startsWith('of=')) return undefined
  return markup?.ids.includes(anchor) === true ? undefined : `${path}: ${address} is not there`
}

for (const [name, parts] of SITE_VARIANTS) {
  test(`${name}: every link and anchor resolves`, async (t) => {
    const app = await runApp(t, parts)
    const read = createReader(app)
    const origin = parts.baseUrl ?? 'http://127.0.0.1:8080'
    const faults: string[] = []
    const places = [...PAGES.map(({ path }) => path), 'no-such-page']
    let links = 0
    for (const locale of LOCALES) {
      for (const place of places) {
        const path = pathOfPage(locale, place)
        const { markup } = await read(path)
        assert.ok(markup !== undefined)
        for (const address of new Set(addressesIn(markup))) {
          links += 1
          // Without a key to sign with, the link to the key leads to the response that says so.
          if (address === READ_PATHS.signingKey && 'signing' in parts) continue
          const fault = await faultOf(read, origin, path, address)
          if (fault !== undefined) faults.push(fault)
        }
      }
    }
    assert.deepEqual(faults, [])
    assert.ok(links > places.length * LOCALES.length * PAGES.length, `${links} links`)
  })
}

test('forms and scripts post to real endpoints', async (t) => {
  const app = await runApp(t)
  const read = createReader(app)
  let found = 0
  for (const path of PAGES.map((page) => pathOfPage('th', page.path))) {
    for (const element of (await read(path)).markup?.all('[data-path], [action]') ?? []) {
      const target = attributeOf(element, 'data-path') ?? attributeOf(element, 'action') ?? ''
      // Addresses of a kind, such as one with a place for an id, are for the scripts to fill.
      if (target.includes('{')) continue
      found += 1
      const { status } = await app.fetch(target, { method: 'PUT' })
      assert.equal(status, 405, `${path}: ${target}`)
    }
  }
  assert.ok(found > 0)
})

test('every page is one click from the locale home', async (t) => {
  const app = await runApp(t)
  for (const locale of LOCALES) {
    const { markup } = await createReader(app)(pathOfPage(locale, ''))
    const links = new Set((markup?.all('a[href]') ?? []).map((link) => attributeOf(link, 'href')))
    for (const { path, parent } of PAGES) {
      // The groups of the reference are one click from the reference.
      if (parent === undefined) assert.ok(links.has(pathOfPage(locale, path)), path)
    }
  }
})

/** Every text in a JSON value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

/** Paths of pages in a text, with their anchors: alone or in a sentence. */
function pagePathsIn(text: string): readonly string[] {
  const locales = LOCALES.join('|')
  const pattern = new RegExp(`(?<![\\w/])/(?:${locales})(?![\\w])[\\w/-]*(?:#[\\w.-]*\\w)?`, 'g')
  return text.replaceAll(PUBLIC_ORIGIN, '').match(pattern) ?? []
}

test('documents link to existing pages', () => {
  const text = `See ${PUBLIC_ORIGIN}/en/errors#NOT_FOUND, /th or (/zh-CN/verify). Not /enx, /a/en.`
  assert.deepEqual(pagePathsIn(text), ['/en/errors#NOT_FOUND', '/th', '/zh-CN/verify'])
})

for (const document of ['index', 'policy', 'openapi'] as const) {
  test(`${LINKS[document]} links to existing pages`, async (t) => {
    const app = await runApp(t, { baseUrl: PUBLIC_ORIGIN })
    const read = createReader(app)
    const value = JSON.parse(await (await app.fetch(LINKS[document])).text()) as unknown
    const paths = new Set(textsIn(value).flatMap(pagePathsIn))
    assert.ok(paths.has(LINKS.docs), [...paths].join(', '))
    for (const path of paths) {
      assert.equal(await faultOf(read, PUBLIC_ORIGIN, LINKS[document], path), undefined)
    }
  })
}

test('pages linked from API responses exist, errors included', async (t) => {
  const app = await runApp(t, { baseUrl: PUBLIC_ORIGIN })
  const read = createReader(app)
  for (const path of [LINKS.index, `${BASE_PATH}/no-such-thing`]) {
    const response = await app.fetch(path)
    const text = `${response.headers.get('link') ?? ''} ${await response.text()}`
    const paths = pagePathsIn(text.replaceAll('\\/', '/'))
    for (const page of paths) {
      assert.equal(await faultOf(read, PUBLIC_ORIGIN, path, page), undefined)
    }
    if (path === LINKS.index) assert.ok(paths.includes(LINKS.docs))
  }
})
