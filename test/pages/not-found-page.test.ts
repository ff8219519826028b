import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { nearestPage } from '../../src/pages/not-found-page.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { attributeOf, parsePage } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { useFileScope } from '../support/test-scope.ts'

const app = runApp(useFileScope())

/** The links of the suggestion on the page at a path. */
async function suggested(path: string): Promise<readonly (string | undefined)[]> {
  const response = await (await app).fetch(path)
  assert.equal(response.status, 404, path)
  const links = parsePage(await response.text()).all('main .lead a')
  return links.map((each) => attributeOf(each, 'href'))
}

test('an unknown path leads to the page that was probably meant, in its language', async () => {
  for (const locale of LOCALES) {
    for (const [path, page] of [
      ['statsu', 'status'],
      ['STATUS.html', 'status'],
      ['roadmaps/2026', 'roadmap'],
      ['arch', 'architecture'],
      ['history/VS-9999', 'history'],
      ['history/since/VS-9999', 'history'],
      ['reference/snapshot', 'reference/snapshots'],
      ['snapshots', 'reference/snapshots'],
      ['erorrs', 'errors'],
      [encodeURIComponent(TEXTS[locale].status.title), 'status'],
    ] as const) {
      const wanted = pathOfPage(locale, path)
      assert.deepEqual(await suggested(wanted), [pathOfPage(locale, page)], wanted)
    }
  }
  assert.deepEqual(await suggested('/statuss'), ['/en/status'])
})

test('no page is suggested for a path that resembles none', async () => {
  for (const path of [
    '/en/x',
    '/en/wp-admin/install.php',
    '/en/%',
    '/en/%E0%A4%A',
    '/<script>alert(1)</script>',
    `/en/${'a'.repeat(10_000)}`,
  ])
    assert.deepEqual(await suggested(path), [], path.slice(0, 40))
})

test('the first page is suggested for its title only, whichever path comes first', async () => {
  for (const locale of LOCALES) {
    const title = pathOfPage(locale, encodeURIComponent(TEXTS[locale].overview.title))
    const other = pathOfPage(locale, 'x')
    assert.deepEqual(await suggested(title), [pathOfPage(locale, '')], title)
    assert.deepEqual(await suggested(other), [], other)
    assert.deepEqual(await suggested(title), [pathOfPage(locale, '')], title)
  }
})

test('a long path is compared with beginnings only', () => {
  const similar = `statsu${'/'.repeat(40)}`
  assert.equal(nearestPage(similar, PAGES, TEXTS.en), undefined)
  assert.equal(nearestPage(`status${'/'.repeat(40)}`, PAGES, TEXTS.en)?.path, 'status')
})
