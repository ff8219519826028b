import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { emptyPlaceIn } from '../support/empty-place.ts'
import { parsePage, textIn } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'

const SENTENCES = 'main p, main li, main dd, main figcaption, main h1, main h2, main h3'

test('finds a sentence with an empty place', () => {
  for (const text of [
    'Signed , at noon.',
    'It is ().',
    '签名（）。',
    'By {key}.',
    'Took NaN ms.',
    'ลงนามเมื่อ ()',
  ]) {
    assert.notEqual(emptyPlaceIn(text), undefined, text)
  }
  for (const text of [
    'Signed just now, at noon.',
    'f(x)',
    '/{snapshotId}',
    'a: b',
    '签名（刚刚）。',
  ]) {
    assert.equal(emptyPlaceIn(text), undefined, text)
  }
})

test('no full stop follows a key or a digest, which fill a line of a phone', () => {
  for (const locale of LOCALES) {
    const { keys, digest } = TEXTS[locale].proof.steps
    for (const { passed } of [keys, digest]) assert.match(passed, /\{found\}$/, locale)
  }
})

for (const [name, parts] of SITE_VARIANTS) {
  test(`${name}: no sentence has an empty place, in any language`, async (t) => {
    const app = await runApp(t, parts)
    const found: string[] = []
    for (const locale of LOCALES) {
      const paths = [...PAGES.map(({ path }) => path), 'history/VS-0001']
      for (const path of paths) {
        const page = parsePage(await (await app.fetch(pathOfPage(locale, path))).text())
        for (const sentence of page.all(SENTENCES)) {
          // A script completes a hidden sentence, and code may look like an empty place.
          if (sentence.hasAttribute('hidden')) continue
          if (sentence.querySelector('code, pre') !== null) continue
          const place = emptyPlaceIn(textIn(sentence))
          if (place !== undefined) found.push(`${locale}/${path}: ${place}`)
        }
      }
    }
    assert.deepEqual(found, [])
  })
}
