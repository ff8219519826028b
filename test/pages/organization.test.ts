import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonValue } from '@public-api/contract/json/canonical-json'
import { LOCALES } from '@public-api/contract/registry/locales'
import { NO_WALLET_VIEWS } from '@public-api/contract/snapshots/no-wallet'
import { ORGANIZATION_SCHEMA } from '@public-api/contract/snapshots/organization'
import { createExample } from '@public-api/contract/documents/examples'
import { PAGES } from '../../src/pages/page-table.ts'
import { pathOfPage } from '../../src/pages/page.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
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

const withOrganization = () => releasesOf({}, { site: { 'site/organization': ORGANIZATION } })

async function pageAt(app: Awaited<ReturnType<typeof runApp>>, path: string) {
  const response = await app.fetch(path)
  return parsePage(await response.text())
}

test('every page, title and feed names the organization', async (t) => {
  const app = await runApp(t, { releases: withOrganization() })
  for (const locale of LOCALES) {
    for (const { path } of PAGES) {
      const page = await pageAt(app, pathOfPage(locale, path))
      const [title = ''] = page.all('title').map(textIn)
      assert.ok(title.endsWith('Tide & Star'), `${locale} ${path}: ${title}`)
      assert.equal(page.all('.demonstration').length, 0)
      assert.ok(page.all('header .name').map(textIn).join().includes('Tide & Star'))
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
  assert.match(css, /--accent:#0a5a70/)
  assert.match(css, /dark.*--accent:#86c9da/s)
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
  assert.ok(!(await (await none.fetch('/sitemap.xml')).text()).includes('/en/wallet<'))
})
