import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { withoutLineMarks } from '@public-api/contract/text/line-marks'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS, type Texts } from '../../src/pages/texts/texts.ts'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'
import { runApp, type RunningApp, TEST_SIGNING_KEY } from '../support/running-app.ts'

/** What a page says to a reader and to a search engine. */
async function wordsOf(app: RunningApp, locale: Locale, path: string): Promise<string> {
  const markup = parsePage(await (await app.fetch(pathOfPage(locale, path))).text())
  const descriptions = markup
    .all('meta[name="description"]')
    .map((each) => attributeOf(each, 'content') ?? '')
  return [...descriptions, ...markup.all('body').map(textIn)].join('\n')
}

/** The words of a text before its first place, which stand on a page as they are. */
const { keyId } = derivePublicSigningKey(TEST_SIGNING_KEY)

const beginningOf = (text: string): string => text.replace(/\{.*/s, '').trim()

/** Texts for signed responses and their replacements for unsigned ones, by page. */
const CLAIMS: readonly (readonly [
  path: string,
  signed: (texts: Texts) => string,
  unsigned: (texts: Texts) => string,
])[] = [
  ['', (t) => t.overview.description, (t) => t.overview.descriptionUnsigned],
  ['', (t) => t.overview.lead, (t) => t.overview.leadUnsigned],
  ['', (t) => beginningOf(t.overview.checkMore), (t) => t.overview.unsigned],
  ['', (t) => t.overview.readers.auditor.text, (t) => t.overview.readers.auditor.textUnsigned],
  ['reference', (t) => beginningOf(t.reference.about.signaturesText), (t) => t.overview.unsigned],
  ['errors', (t) => t.errorCatalog.introSigned, (t) => t.errorCatalog.introCode],
  ['verify', (t) => t.verify.lead, (t) => t.verify.unsigned],
  ...['status', 'roadmap', 'changelog', 'architecture'].map(
    (path) =>
      [
        path,
        (t: Texts) => t.snapshot.asJson,
        (t: Texts) => `${t.snapshot.asJsonUnsigned}/api/`,
      ] as const,
  ),
]

describe('pages describe their own deployment', () => {
  for (const locale of LOCALES) {
    test(`signed or not, in ${locale}`, async (t) => {
      const signing = await runApp(t)
      const unsigned = await runApp(t, { signing: undefined })
      const texts = TEXTS[locale]
      for (const [path, claim, instead] of CLAIMS) {
        const words = withoutLineMarks(await wordsOf(signing, locale, path))
        const claimed = withoutLineMarks(claim(texts))
        assert.ok(words.includes(claimed), `${path}: ${claimed}`)
        const others = withoutLineMarks(await wordsOf(unsigned, locale, path))
        assert.ok(
          others.replaceAll(/\s*\/api\//g, '/api/').includes(withoutLineMarks(instead(texts))),
          path,
        )
        assert.ok(!others.includes(claimed), `${path}: unsigned`)
      }
    })

    test(`whether an audit can finish, in ${locale}`, async (t) => {
      const { auditUnsigned } = TEXTS[locale].history
      for (const [parts, isShown] of [
        [{}, false],
        [{ signing: undefined }, true],
      ] as const) {
        const words = await wordsOf(await runApp(t, parts), locale, 'history')
        assert.equal(words.includes(auditUnsigned), isShown)
      }
    })

    test(`with and without a contact, in ${locale}`, async (t) => {
      const { erase, eraseNoContact, noContact } = TEXTS[locale].privacy
      const without = await wordsOf(await runApp(t), locale, 'privacy')
      assert.ok(without.includes(eraseNoContact) && without.includes(noContact))
      assert.ok(!without.includes(erase))
      const app = await runApp(t, { securityContact: 'mailto:security@example.test' })
      const words = await wordsOf(app, locale, 'privacy')
      assert.ok(words.includes(erase))
      assert.ok(!words.includes(eraseNoContact) && !words.includes(noContact))
    })
  }

  test('no page mentions a key when the deployment has none', async (t) => {
    const app = await runApp(t, { signing: undefined })
    const texts = TEXTS.en
    for (const { path } of PAGES) {
      const words = await wordsOf(app, 'en', path)
      assert.ok(words.includes(texts.site.footer.unsigned), path)
      // The schema of the key document has the key of these tests as its example.
      if (path !== 'reference/keys') assert.ok(!words.includes(keyId), path)
    }
  })
})
