import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { LINKS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { releasesOf } from '../support/made-content.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp, TEST_NOW_MS, type RunningApp } from '../support/running-app.ts'
import { OUTAGE_STATUS, TROUBLE_NOW_MS } from '../support/trouble-content.ts'

const ORIGIN = 'https://api.example.test'
const CONTACT = 'mailto:security@example.test'
const SECURITY_TXT = '/.well-known/security.txt'
const API_CATALOG = '/.well-known/api-catalog'
const DAY_MS = 86_400_000

const FILES = [
  ['/robots.txt', 'text/plain; charset=utf-8'],
  ['/sitemap.xml', 'application/xml; charset=utf-8'],
  [SECURITY_TXT, 'text/plain; charset=utf-8'],
  [API_CATALOG, 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'],
] as const

function run(t: TestContext, parts: Parameters<typeof runApp>[1] = {}): Promise<RunningApp> {
  return runApp(t, { baseUrl: ORIGIN, securityContact: CONTACT, ...parts })
}

/** The fields of a security.txt, by name. */
function fieldsOf(text: string): ReadonlyMap<string, string> {
  assert.match(text, /^(?:[A-Z][A-Za-z-]+: [^\r\n]+\n)+$/)
  const lines = text.trimEnd().split('\n')
  const fields = new Map(
    lines.map((line) => {
      const [name = '', ...value] = line.split(': ')
      return [name, value.join(': ')]
    }),
  )
  assert.equal(fields.size, lines.length, 'each field stands once')
  return fields
}

describe('well-known files', () => {
  for (const [path, contentType] of FILES) {
    test(`${path}: type, HEAD, 304, 405, redirect`, async (t) => {
      const app = await run(t)
      const response = await app.fetch(path)
      const text = await response.text()
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), contentType)
      assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')

      const identity = { 'Accept-Encoding': 'identity' }
      const plain = await app.fetch(path, { headers: identity })
      const head = await app.fetch(path, { method: 'HEAD', headers: identity })
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      for (const name of ['content-type', 'content-length', 'etag', 'link', 'vary']) {
        assert.equal(head.headers.get(name), plain.headers.get(name), name)
      }
      assert.equal(await plain.text(), text)

      const etag = response.headers.get('etag') ?? ''
      const again = await app.fetch(path, { headers: { 'If-None-Match': etag } })
      assert.equal(again.status, 304)

      const refused = await app.fetch(path, { method: 'POST' })
      assert.equal(refused.status, 405)
      assert.equal(refused.headers.get('allow'), 'GET, HEAD')
      const slashed = await app.fetch(`${path}/`)
      assert.deepEqual([slashed.status, slashed.headers.get('location')], [308, path])
    })
  }

  test('a preview has no sitemap and disallows crawlers', async (t) => {
    const app = await run(t, { deployment: 'preview' })
    assert.equal(await app.text('/robots.txt'), 'User-agent: *\nDisallow: /\n')
    assert.equal((await app.fetch('/sitemap.xml')).status, 404)
  })
})

test('the sitemap lists every page, also of incidents and months, with its alternates', async (t) => {
  const releases = releasesOf({ status: OUTAGE_STATUS })
  const app = await run(t, { releases, clock: { nowMs: () => TROUBLE_NOW_MS } })
  const text = await readSitemap((path) => app.text(path))
  assert.match(
    text,
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="[^"]+" xmlns:xhtml="http:\/\/www\.w3\.org\/1999\/xhtml">/,
  )
  const entries = [...text.matchAll(/<url>\s*<loc>([^<]+)<\/loc>([\s\S]*?)<\/url>/g)]
  const listed = PAGES.filter(({ noIndex }) => noIndex !== true).map(({ path }) => path)
  const addresses = entries.map(([, address]) => address)
  const ofTrouble = [
    'status/2026-11',
    'status/maintenances/network-upgrade',
    'status/incidents/database-down',
  ]
  const expected = [...listed, ...ofTrouble].flatMap((path) =>
    LOCALES.map((locale) => ORIGIN + pathOfPage(locale, path)),
  )
  assert.deepEqual(addresses, expected)
  for (const [, address = '', links = ''] of entries) {
    const alternates = [
      ...links.matchAll(/<xhtml:link rel="alternate" hreflang="([^"]+)" href="([^"]+)"\/>/g),
    ].map(([, language, href]) => [language, href])
    const path = new URL(address).pathname
    // What the page itself says of its languages.
    const page = await app.text(path)
    const own = [
      ...page.matchAll(/<link\s+rel="alternate"\s+hreflang="([^"]+)"\s+href="([^"]+)"\s*\/?>/g),
    ].map(([, language, href]) => [language, href])
    assert.deepEqual(alternates, own, path)
    assert.equal(alternates.length, LOCALES.length + 1)
    assert.ok(alternates.some(([, href]) => href === address))
  }
  assert.equal(
    await app.text('/robots.txt'),
    `User-agent: *\nAllow: /\n\nSitemap: ${ORIGIN}/sitemap.xml\n`,
  )
})

describe('security.txt', () => {
  test('has the fields of RFC 9116 and an existing policy', async (t) => {
    const app = await run(t)
    const fields = fieldsOf(await app.text(SECURITY_TXT))
    assert.deepEqual(
      [...fields.keys()],
      ['Contact', 'Expires', 'Preferred-Languages', 'Canonical', 'Policy'],
    )
    assert.equal(fields.get('Contact'), CONTACT)
    assert.equal(fields.get('Preferred-Languages'), 'en, th, zh')
    assert.equal(fields.get('Canonical'), `${ORIGIN}${SECURITY_TXT}`)
    const policy = new URL(fields.get('Policy') ?? '')
    assert.equal(policy.origin, ORIGIN)
    const page = await app.text(policy.pathname)
    assert.ok(page.includes(`id="${policy.hash.slice(1)}"`))
    assert.ok(page.includes(`href="${CONTACT}"`))
  })

  test('expires in more than a day and less than a year', async (t) => {
    const app = await run(t)
    const etags = new Set<string | null>()
    for (const days of [0, 0.2, 1, 100, 400, 1000]) {
      app.clock.ms = TEST_NOW_MS + days * DAY_MS
      const response = await app.fetch(SECURITY_TXT)
      const expires = fieldsOf(await response.text()).get('Expires') ?? ''
      assert.match(expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
      const leftDays = (Date.parse(expires) - app.clock.ms) / DAY_MS
      assert.ok(leftDays > 90 && leftDays < 365, `${leftDays} days`)
      etags.add(response.headers.get('etag'))
    }
    assert.equal(etags.size, 5, 'one text a day')
  })

  test('omits URLs without https', async (t) => {
    const app = await run(t, { baseUrl: 'http://127.0.0.1:8080' })
    const fields = fieldsOf(await app.text(SECURITY_TXT))
    assert.deepEqual([...fields.keys()], ['Contact', 'Expires', 'Preferred-Languages'])
  })

  for (const runtime of ['local', 'production'] as const) {
    test(`does not exist without a contact, in the ${runtime} runtime`, async (t) => {
      const app = await run(t, { runtime, securityContact: undefined })
      assert.equal((await app.fetch(SECURITY_TXT)).status, 404)
    })
  }
})

describe('the API catalog', () => {
  interface Target {
    readonly href: string
    readonly type: string
    readonly hreflang?: readonly string[]
  }
  type Context = { readonly anchor: string } & {
    readonly [relation: string]: readonly Target[]
  }

  test('is a linkset whose targets exist with their types', async (t) => {
    const app = await run(t)
    const { linkset, ...rest } = JSON.parse(await app.text(API_CATALOG)) as {
      readonly linkset: readonly Context[]
    }
    assert.deepEqual(rest, {})
    const [catalog, api] = linkset
    assert.ok(catalog && api && linkset.length === 2)
    assert.equal(catalog.anchor, ORIGIN + API_CATALOG)
    assert.deepEqual(
      catalog['item']?.map(({ href }) => href),
      [api.anchor],
    )
    assert.equal(api.anchor, ORIGIN + BASE_PATH)
    assert.deepEqual(Object.keys(api).toSorted(), [
      'anchor',
      'service-desc',
      'service-doc',
      'service-meta',
      'status',
    ])
    assert.equal(api['service-desc']?.[0]?.href, ORIGIN + READ_PATHS.openapi)
    assert.equal(api['service-doc']?.[0]?.href, ORIGIN + LINKS.docs)
    const machine = [catalog['item'], api['service-desc'], api['service-meta'], api['status']]
    for (const target of machine.flatMap((targets) => targets ?? [])) {
      const response = await app.fetch(new URL(target.href).pathname)
      assert.equal(response.status, 200, target.href)
      assert.equal(response.headers.get('content-type')?.split(';')[0], target.type)
    }
    assert.deepEqual(
      api['service-doc']?.map(({ href, hreflang }) => [href, hreflang]),
      LOCALES.map((locale) => [`${ORIGIN}${pathOfPage(locale, 'reference')}`, [locale]]),
    )
  })

  test('is linked from itself and each locale home', async (t) => {
    const app = await run(t)
    for (const path of [API_CATALOG, ...LOCALES.map((locale) => pathOfPage(locale, ''))]) {
      const response = await app.fetch(path, { method: 'HEAD' })
      const links = response.headers.get('link')?.split(', ')
      assert.ok(links?.includes(`<${API_CATALOG}>; rel="api-catalog"`), path)
    }
    const other = await app.fetch(pathOfPage('en', 'privacy'))
    assert.doesNotMatch(other.headers.get('link') ?? '', /api-catalog/)
  })
})

test('the icon is linked from every page', async (t) => {
  const app = await run(t)
  const page = await app.text('/en')
  const [, address = ''] = /<link rel="icon" href="([^"]+)" type="image\/svg\+xml"/.exec(page) ?? []
  const icon = await app.fetch(address)
  assert.equal(icon.headers.get('content-type'), 'image/svg+xml; charset=utf-8')
  assert.match(icon.headers.get('cache-control') ?? '', /immutable/)
  const text = await icon.text()
  assert.ok(text.length < 500)
  assert.ok(!/style|script|href/.test(text))

  const old = await app.fetch('/favicon.ico')
  assert.equal(old.status, 200)
  assert.equal(old.headers.get('content-type'), 'image/x-icon')
  assert.deepEqual([...new Uint8Array(await old.arrayBuffer()).subarray(0, 4)], [0, 0, 1, 0])
  assert.equal(old.headers.get('cache-control'), 'public, max-age=86400')
  assert.match(old.headers.get('content-security-policy') ?? '', /default-src 'none'/)
})
