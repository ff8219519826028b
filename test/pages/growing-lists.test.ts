import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import type { SnapshotData } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { countText, plainText, type PluralForms } from '../../src/pages/markup/rich-text.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { releasesOf, type MadeContent } from '../support/made-content.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'
import { CALM_STATUS, pastIncident } from '../support/trouble-content.ts'

type Changelog = SnapshotData<'changelog'>

const MAX_HTML_BYTES = 60_000
const MOMENT = '2026-11-01T00:00:00Z'
/** About what an operator writes in a sentence or two. */
const SENTENCE = 'Some responses came late, and a few did not come at all. '.repeat(3)

function repeat<Item>(count: number, make: (nth: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index + 1))
}

const change = (nth: number): Changelog['unreleased'][number] => ({
  kind: nth % 2 === 0 ? 'added' : 'fixed',
  text: `The change ${nth}. ${SENTENCE}`,
  endpoints: ['GET /api/v1/status'],
})

function changelogWith(unreleased: number, releases: readonly number[]): MadeContent {
  return {
    changelog: {
      summary: 'Changes.',
      updatedAt: MOMENT,
      unreleased: repeat(unreleased, change),
      releases: releases.map((changes, index) => ({
        version: `${releases.length - index}.0.0`,
        date: '2026-11-01',
        changes: repeat(changes, change),
      })),
    },
  }
}

async function readPage(t: TestContext, content: MadeContent, locale: Locale, path: string) {
  const app = await runApp(t, { releases: releasesOf(content) })
  const source = await (await app.fetch(pathOfPage(locale, path))).text()
  const markup = parsePage(source)
  return {
    markup,
    bytes: Buffer.byteLength(source),
    main: withoutLineMarks(markup.all('main').map(textIn).join(' ')),
  }
}

/** What the page says of items that it leaves out. */
function wordsFor(locale: Locale, forms: PluralForms, count: number, path: string): string {
  const counted = countText(locale, forms, count).text
  const all = plainText(TEXTS[locale].snapshot.allOfThem, { path })
  return `${counted}${locale === 'zh-CN' ? '' : ' '}${all}`
}

describe('incidents', () => {
  test('long incidents show their newest updates', async (t) => {
    const updates = repeat(80, (nth) => ({
      at: MOMENT,
      state: 'monitoring' as const,
      text: `Statement ${nth}.`,
    }))
    const incident = { ...pastIncident(1, 'payments'), updates }
    const content = { status: { ...CALM_STATUS, incidents: [incident] } }
    const { main } = await readPage(t, content, 'en', `status/incidents/${incident.id}`)
    const shown = updates.filter(({ text }) => main.includes(withoutLineMarks(text))).length
    assert.ok(shown >= 20 && shown < 80, `${shown} are shown`)
    assert.ok(main.includes('Statement 1.') && !main.includes('Statement 80.'))
    const words = wordsFor('en', TEXTS.en.status.olderUpdates, 80 - shown, '/api/v1/status')
    assert.ok(main.includes(withoutLineMarks(words)), words)
  })
})

describe('releases', () => {
  test('older ones are counted, and the rail lists those shown', async (t) => {
    const content = changelogWith(
      2,
      repeat(100, () => 3),
    )
    for (const locale of LOCALES) {
      const { markup, bytes, main } = await readPage(t, content, locale, 'changelog')
      const places = markup.all('.contents a').map((each) => attributeOf(each, 'href') ?? '')
      const shown = places.length - 1
      assert.ok(shown >= 5 && shown < 100, `${shown} are shown`)
      assert.deepEqual(places, ['#unreleased', ...repeat(shown, (at) => `#v${101 - at}.0.0`)])
      assert.deepEqual(
        places.filter((href) => !markup.ids.includes(href.slice(1))),
        [],
      )
      assert.equal(markup.all('main h2').length, places.length)
      const { older } = TEXTS[locale].changelog
      const words = wordsFor(locale, older, 100 - shown, '/api/v1/changelog')
      assert.ok(main.includes(withoutLineMarks(words)), `${locale}: ${words}`)
      assert.ok(bytes < MAX_HTML_BYTES, `${bytes} bytes`)
    }
  })

  test('long releases show some changes and count the rest', async (t) => {
    const { markup, main, bytes } = await readPage(t, changelogWith(80, [90, 1]), 'en', 'changelog')
    const shown = markup
      .all('main section')
      .map((each) => each.querySelectorAll('.entries > li').length)
    const [unreleased = 0, newest = 0, first] = shown
    assert.ok(unreleased >= 10 && newest >= 10 && first === 1, shown.join(', '))
    const { moreChanges } = TEXTS.en.changelog
    for (const left of [80 - unreleased, 90 - newest]) {
      assert.ok(main.includes(wordsFor('en', moreChanges, left, '/api/v1/changelog')), `${left}`)
    }
    assert.ok(bytes < MAX_HTML_BYTES, `${bytes} bytes`)
  })

  test('short lists are shown completely', async (t) => {
    const { markup, main } = await readPage(t, changelogWith(0, [1, 2, 3]), 'en', 'changelog')
    assert.equal(markup.all('main h2').length, 3)
    assert.ok(!main.includes('not shown here'))
  })
})
