import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { verifyPath } from '../../src/pages/page.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)

test('every page ends with its provenance', async (t) => {
  const releases = releasesOf({})
  const { hash } = JSON.parse(releases.head.json) as { hash: string }
  const app = await runApp(t, { releases })
  for (const locale of LOCALES) {
    for (const each of [...PAGES, { path: 'no-such-page' }]) {
      const page = parsePage(await (await app.fetch(pathOfPage(locale, each.path))).text())
      const facts = page.all('footer .provenance dd').map(textIn)
      assert.deepEqual(facts.slice(0, 2), ['VS-0001', hash.slice(0, 12)])
      assert.equal(facts.at(-1), keyId)
      const all = page.all('footer .provenance a')
      const shown = all.flatMap((link) => link.attribute('data-resource') ?? [])
      const links = all
        .filter((link) => link.attribute('data-resource') === undefined)
        .map((link) => attributeOf(link, 'href'))
      assert.deepEqual(links, [pathOfPage(locale, 'history/VS-0001'), verifyPath(locale, shown)])
      if (each.path === '') assert.deepEqual(shown, ['status', 'roadmap'])
    }
  }
})

test('the navigation groups have names and pages', async (t) => {
  const app = await runApp(t)
  for (const locale of LOCALES) {
    const page = parsePage(await (await app.fetch(pathOfPage(locale, ''))).text())
    const groups = page.all('nav.pages .group')
    assert.equal(groups.length, Object.keys(TEXTS[locale].site.groups).length)
    const names = page.all('nav.pages .group-name').map(textIn)
    assert.deepEqual(names, Object.values(TEXTS[locale].site.groups))
    for (const group of groups) assert.ok(group.querySelectorAll('a').length > 0)
  }
})

test('the contents rail lists the headings of the page', async (t) => {
  const app = await runApp(t)
  for (const path of ['architecture', 'wallet', 'changelog']) {
    const page = parsePage(await (await app.fetch(pathOfPage('en', path))).text())
    const entries = page.all('nav.contents a').map((link) => ({
      id: attributeOf(link, 'href')?.slice(1),
      title: textIn(link),
    }))
    const headings = page
      .all('main h2')
      .map((heading) => ({ id: attributeOf(heading, 'id'), title: textIn(heading) }))
    assert.ok(entries.length > 1, path)
    assert.deepEqual(entries, headings, path)
  }
})
