import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExample } from '@public-api/contract/documents/examples'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { NO_WALLET_VIEWS } from '@public-api/contract/snapshots/no-wallet'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'

const EXAMPLE = createExample(ORGANIZATION_SCHEMA) as { readonly [name: string]: JsonValue }
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'
const ORGANIZATION = {
  ...EXAMPLE,
  name: 'Tide & Star',
  logo: {
    mediaType: 'image/svg+xml',
    base64: Buffer.from(SVG).toString('base64'),
    width: 120,
    height: 40,
    alt: 'A wave',
  },
  accentColor: { light: '#0a5a70', dark: '#86c9da' },
}

const withOrganization = (more: { readonly [name: string]: JsonValue } = {}) =>
  releasesOf({}, { site: { 'site/organization': { ...ORGANIZATION, ...more } } })

async function pageAt(app: Awaited<ReturnType<typeof runApp>>, path: string) {
  const response = await app.fetch(path)
  return parsePage(await response.text())
}

test('every page, title and feed names the organization, and not this project', async (t) => {
  const app = await runApp(t, { releases: withOrganization() })
  for (const locale of LOCALES) {
    for (const { path } of PAGES) {
      const page = await pageAt(app, pathOfPage(locale, path))
      const [title = ''] = page.all('title').map(textIn)
      assert.ok(title.endsWith('Tide & Star'), `${locale} ${path}: ${title}`)
      assert.equal(page.all('.demonstration').length, 0)
      assert.ok(page.all('header .name').map(textIn).join().includes('Tide & Star'))
      const project = /this project|โครงการนี้|本项目|git clone/
      assert.doesNotMatch(page.all('body').map(textIn).join(), project)
      assert.ok(!page.all('footer').map(textIn).join().includes('Apache'))
    }
    const feed = await (await app.fetch(`/${locale}/feed.json`)).json()
    assert.ok((feed as { title: string }).title.includes('Tide & Star'))
  }
})

test('without an organization every page says that it is a demonstration', async (t) => {
  const app = await runApp(t, { releases: releasesOf({}) })
  for (const { path } of PAGES) {
    const page = await pageAt(app, pathOfPage('en', path))
    assert.equal(page.all('.demonstration').map(textIn).join(), TEXTS.en.site.demonstration)
  }
})

test('serves the logo and the accent color under paths with digests', async (t) => {
  const app = await runApp(t, { releases: withOrganization() })
  const page = await pageAt(app, '/en')
  const [logo = ''] = page.all('header .name img').map((image) => attributeOf(image, 'src') ?? '')
  const image = await app.fetch(logo)
  assert.equal(image.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  assert.match(image.headers.get('cache-control') ?? '', /immutable/)
  assert.equal(await image.text(), SVG)
  const style = page
    .all('link[rel="stylesheet"]')
    .map((each) => attributeOf(each, 'href') ?? '')
    .find((href) => href.includes('accent'))
  const css = await (await app.fetch(style ?? '')).text()
  assert.match(css, /--accent:light-dark\(#0a5a70,#86c9da\)/)
})

test('the privacy page names the controller and the retention', async (t) => {
  const app = await runApp(t, { releases: withOrganization() })
  const text = (await pageAt(app, '/en/privacy'))
    .all('section[aria-labelledby="controller"]')
    .map(textIn)
    .join()
  const { controller, retention } = EXAMPLE['privacy'] as { controller: string; retention: string }
  assert.ok(text.includes(controller))
  assert.ok(text.includes(retention))
})

test('shows translations, and marks what has none as English', async (t) => {
  const content = fullContent((nth) => `Text ${nth}.`)
  const [component] = content.status.components
  assert.ok(component)
  const site = {
    'site/translations/th': {
      locale: 'th',
      resources: {
        status: { summary: 'สรุป', components: { [component.id]: { name: 'ส่วนแรก' } } },
      },
    },
  }
  const app = await runApp(t, { releases: releasesOf(content, { site }) })
  const page = await pageAt(app, '/th/status')
  const row = page.all(`#component-${component.id} h3`).map(textIn).join()
  assert.ok(row.includes('ส่วนแรก'))
  assert.ok(!row.includes(component.name))
  const english = new Set(page.all('main [lang="en"]').map(textIn))
  assert.ok(english.has(component.summary))
  assert.ok(!english.has('สรุป'))
  const api = (await (await app.fetch('/api/v1/status')).json()) as { data: { summary: string } }
  assert.equal(api.data.summary, content.status.summary)
})

test('leaves the wallet page out of navigation and sitemap without a wallet', async (t) => {
  const attached = await runApp(t, { releases: releasesOf({}) })
  const none = await runApp(t, { releases: releasesOf({ ...NO_WALLET_VIEWS }) })
  const navigates = async (app: typeof none): Promise<boolean> =>
    (await pageAt(app, '/en'))
      .all('nav.pages a')
      .some((link) => attributeOf(link, 'href') === '/en/wallet')
  assert.equal(await navigates(attached), true)
  assert.equal(await navigates(none), false)
  assert.ok(
    !(await readSitemap(async (path) => (await none.fetch(path)).text())).includes('/en/wallet<'),
  )
})

const hrefsIn = (page: ReturnType<typeof parsePage>, selector: string) =>
  page.all(selector).map((each) => attributeOf(each, 'href') ?? '')

test('links, sitemap and negotiation lead to the offered languages only', async (t) => {
  const releases = withOrganization({ site: { languages: ['th', 'en'] } })
  const app = await runApp(t, { releases, securityContact: 'mailto:security@tides.example' })
  const page = await pageAt(app, '/en/status')
  assert.deepEqual(page.all('nav.languages li').map(textIn), [
    TEXTS.th.site.language,
    TEXTS.en.site.language,
  ])
  const alternates = page
    .all('link[rel="alternate"][hreflang]')
    .map((each) => [
      attributeOf(each, 'hreflang'),
      new URL(attributeOf(each, 'href') ?? '').pathname,
    ])
  assert.deepEqual(alternates, [
    ['th', '/th/status'],
    ['en', '/en/status'],
    ['x-default', '/th/status'],
  ])
  const sitemap = await readSitemap(async (path) => (await app.fetch(path)).text())
  assert.ok(sitemap.includes('/th/status<'))
  assert.ok(!sitemap.includes('zh-CN'))
  for (const [accepted, target] of [
    ['zh-CN', '/th'],
    ['zh-CN, en;q=0.5', '/en'],
    ['', '/th'],
  ] as const) {
    const headers = { 'Accept-Language': accepted }
    const response = await app.fetch('/', { headers, redirect: 'manual' })
    assert.equal(response.headers.get('location'), target, accepted)
  }
  const security = await (await app.fetch('/.well-known/security.txt')).text()
  assert.match(security, /^Preferred-Languages: th, en$/m)
  const catalog = await (await app.fetch('/.well-known/api-catalog')).text()
  assert.ok(!catalog.includes('zh-CN'))
  assert.match(await (await app.fetch('/no-such-page')).text(), /<html lang="th"/)
})

test('a language that is not offered keeps its addresses, out of search engines', async (t) => {
  const app = await runApp(t, { releases: withOrganization({ site: { languages: ['en'] } }) })
  for (const path of ['', 'status', 'reference/keys']) {
    const address = pathOfPage('th', path)
    const page = parsePage(await app.text(address))
    assert.equal(page.all('meta[name="robots"][content="noindex"]').length, 1, address)
    assert.equal(page.all('link[hreflang]').length, 0, address)
    assert.deepEqual(hrefsIn(page, 'nav.languages a'), [pathOfPage('en', path)])
    assert.equal((await pageAt(app, pathOfPage('en', path))).all('nav.languages').length, 0)
  }
  assert.equal((await app.fetch('/th/feed.json')).status, 200)
})

test('leaves pages out of navigation and sitemap, and keeps their addresses', async (t) => {
  const site = { leaveOut: ['early-access', 'api-keys', 'wallet'] }
  const app = await runApp(t, { releases: withOrganization({ site }) })
  const sitemap = await readSitemap(async (path) => (await app.fetch(path)).text())
  for (const locale of LOCALES) {
    const paths = [
      'early-access',
      'reference/early-access',
      'reference/keys',
      'wallet',
      'reference/wallet',
    ]
    for (const path of paths) {
      const address = pathOfPage(locale, path)
      assert.equal((await app.fetch(address)).status, 200)
      assert.ok(!sitemap.includes(`${address}<`), address)
      for (const from of ['', 'reference', 'reference/snapshots']) {
        const links = hrefsIn(
          await pageAt(app, pathOfPage(locale, from)),
          '.pages a, .hero a, .rail a',
        )
        assert.ok(!links.some((each) => each.split('#')[0] === address), `${from} -> ${address}`)
      }
    }
  }
  assert.equal((await app.fetch('/api/v1/early-access')).status, 200)
  assert.equal((await app.fetch('/api/v1/keys/self')).status, 401)
  assert.equal((await app.fetch('/api/v1/wallet')).status, 200)
  const index = await (await app.fetch('/en/search.json')).text()
  assert.ok(!index.includes('/en/wallet'), 'search')
})

test('the form lists the chosen interests in the order of the organization', async (t) => {
  const site = { interests: ['research', 'api'] }
  const app = await runApp(t, { releases: withOrganization({ site }) })
  for (const locale of LOCALES) {
    const page = await pageAt(app, pathOfPage(locale, 'early-access'))
    const names = TEXTS[locale].earlyAccess.form.interestNames
    assert.deepEqual(page.all('#interests label').map(textIn), [names.research, names.api])
  }
})

test('a logo whose text is the name beside it has no text of its own', async (t) => {
  for (const [alt, expected] of [
    [ORGANIZATION.name, ''],
    ['A wave over a gauge', 'A wave over a gauge'],
  ] as const) {
    const releases = withOrganization({ logo: { ...ORGANIZATION.logo, alt } })
    const page = await pageAt(await runApp(t, { releases }), '/en')
    const texts = page.all('header .name img').map((image) => attributeOf(image, 'alt') ?? '')
    assert.deepEqual(texts, [expected])
  }
})

test('the icon is the logo, or the initial of the organization', async (t) => {
  const iconOf = async (more: { readonly [name: string]: JsonValue }) => {
    const app = await runApp(t, { releases: withOrganization(more) })
    const page = await pageAt(app, '/zh-CN/status')
    const [address = ''] = hrefsIn(page, 'link[rel="icon"]')
    const old = await app.fetch('/favicon.ico', { redirect: 'manual' })
    assert.deepEqual([old.status, old.headers.get('location')], [302, address])
    return await (await app.fetch(address)).text()
  }
  assert.match(await iconOf({ name: '<潮汐' }), /fill="#0a5a70".*>&lt;<\/text>/)
  assert.match(await iconOf({ name: 'öst' }), />Ö<\/text>/)
  assert.equal(await iconOf({ logo: { ...ORGANIZATION.logo, width: 40 } }), SVG)
})

test('the privacy page names the contact for personal data where it explains erasure', async (t) => {
  const app = await runApp(t, {
    releases: withOrganization(),
    securityContact: 'https://tides.example/s',
  })
  const { contact } = EXAMPLE['privacy'] as { contact: { email: string } }
  for (const locale of LOCALES) {
    const page = await pageAt(app, pathOfPage(locale, 'privacy'))
    const kept = 'section[aria-labelledby="kept"]'
    const links = hrefsIn(page, `${kept} a`).filter((href) => href !== '#kept')
    assert.deepEqual(links, [`mailto:${contact.email}`])
    assert.ok(page.all(kept).map(textIn).join().includes(contact.email))
  }
})
