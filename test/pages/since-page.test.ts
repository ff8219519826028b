import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { isTranslation } from '@public-api/contract/registry/resource-names'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { changesId } from '../../src/pages/history/resource-changes.ts'
import { sincePath } from '../../src/pages/history/since-page.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { readSitemap } from '../support/read-sitemap.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'

const [, EXAMPLE = {}] = SITE_VARIANTS.find(([name]) => name.includes('example')) ?? []

test('shows what changed from a version to the newest, in words and in every language', async (t) => {
  const { releases } = EXAMPLE
  assert.ok(releases !== undefined)
  const app = await runApp(t, EXAMPLE)
  const versionAt = (snapshotId: string): VersionEntry =>
    JSON.parse(releases.version(snapshotId)?.json ?? '') as VersionEntry
  const head = JSON.parse(releases.head.json) as VersionEntry
  const before = versionAt('VS-0017')
  const changed = Object.keys(head.resources).filter(
    (name) => head.resources[name] !== before.resources[name] && !isTranslation(name),
  )
  // More than the newest version alone changed.
  assert.ok(changed.length > head.changes.length)
  for (const locale of LOCALES) {
    const response = await app.fetch(pathOfPage(locale, sincePath('VS-0017')))
    const source = await response.text()
    assert.deepEqual(await htmlFaults(source), [])
    assert.ok(Buffer.byteLength(source) < 60_000, `${Buffer.byteLength(source)} bytes`)
    assert.match(response.headers.get('x-robots-tag') ?? '', /noindex/)
    const { all, ids } = parsePage(source)
    for (const name of changed) assert.ok(ids.includes(changesId(name)), name)
    assert.ok(all('main .data-change').length > changed.length)
    // The list of maintenance is new as a whole.
    const status = all(`main section[aria-labelledby="${changesId('status')}"] .data-change`)
    assert.equal(status.filter((each) => each.querySelectorAll('strong').length === 1).length, 1)
    assert.ok(!status.map(textIn).join().includes('{'), locale)
    const links = all('main th a').map((link) => attributeOf(link, 'href'))
    assert.deepEqual(
      links,
      [21, 20, 19, 18].map((sequence) => `/${locale}/history/VS-00${sequence}`),
    )
    const markdown = await (await app.fetch(`/${locale}/history/since/VS-0017.md`)).text()
    for (const item of all('main .data-change strong')) {
      const words = textIn(item).split(/[^\p{L}\p{N}]+/u)
      assert.ok(
        words.every((word) => markdown.includes(word)),
        textIn(item),
      )
    }
  }
})

test('names removed items that others refer to, and shows what a release contains', async (t) => {
  const app = await runApp(t, EXAMPLE)
  const { all } = parsePage(await (await app.fetch('/en/history/since/VS-0017')).text())
  const changesOf = (name: string): string =>
    all(`main section[aria-labelledby="${changesId(name)}"]`)
      .map(textIn)
      .join()
  assert.match(changesOf('development-queue'), /Part of\s+Second receiver/)
  assert.match(changesOf('changelog'), /Version 2\.7\.0\s+A second receiver takes over/)
})

test('a release of the changelog leads to the version that first published it', async (t) => {
  const app = await runApp(t, EXAMPLE)
  const { all } = parsePage(await (await app.fetch('/en/changelog')).text())
  const links = all('main section > p a').map((link) => attributeOf(link, 'href') ?? '')
  const versions = links.filter((each) => each.startsWith('/en/history/'))
  assert.deepEqual(
    versions,
    [19, 13, 3, 1, 1].map((sequence) => `/en/history/VS-00${String(sequence).padStart(2, '0')}`),
  )
})

test('the history and the page of a version lead to it, and the sitemap does not', async (t) => {
  const app = await runApp(t, EXAMPLE)
  const path = '/en/history/since/VS-0017'
  for (const place of ['/en/history', '/en/history/VS-0017']) {
    const { all } = parsePage(await (await app.fetch(place)).text())
    const links = new Set(all('main a').map((link) => attributeOf(link, 'href')))
    assert.ok(links.has(path), place)
    assert.ok(!links.has('/en/history/since/VS-0021'), place)
  }
  assert.ok(
    !(await readSitemap(async (file) => (await app.fetch(file)).text())).includes('/since/'),
  )
})

test('says that nothing changed since the newest version', async (t) => {
  const app = await runApp(t, { releases: releasesOf(fullContent((nth) => `Text <${nth}>.`)) })
  const source = await (await app.fetch('/en/history/since/VS-0001')).text()
  assert.deepEqual(await htmlFaults(source), [])
  const { all } = parsePage(source)
  const [lead] = all('main .lead').map(textIn)
  assert.equal(lead, TEXTS.en.since.newest.replace('{version}', 'VS-0001'))
  assert.equal(all('main h2').length, 0)
})

test('escapes what was published', async (t) => {
  const content = fullContent((nth) => `Text <${nth}>.`)
  const releases = releasesOf(content, {
    note: 'A <note>.',
    previous: ({ status: _, ...rest }) => rest,
  })
  const app = await runApp(t, { releases })
  const source = await (await app.fetch('/en/history/since/VS-0001')).text()
  assert.deepEqual(await htmlFaults(source), [])
  const { all } = parsePage(source)
  assert.ok(all('main td').map(textIn).includes('A <note>.'))
  assert.deepEqual(all('main .data-change .tag').map(textIn), [TEXTS.en.version.kinds.added])
})

test('of an unknown version there is no page', async (t) => {
  const app = await runApp(t)
  for (const path of [
    '/en/history/since/VS-9999',
    '/en/history/since',
    '/de/history/since/VS-0001',
  ])
    assert.equal((await app.fetch(path)).status, 404, path)
})
