import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LOCALES } from '@public-api/contract/terms/locales'
import { localeFaults, readLocaleFiles, type LocaleFiles } from '../scripts/check-locales.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))

const ENGLISH = {
  site: { name: 'A name', title: 'A name', made: 'Made from {version} by {key}.' },
  count: { one: 'One entry', other: '{count} entries' },
} as const

/** Files of two languages in which all is well but for what is exchanged. */
function files({
  english = ENGLISH,
  th = {},
  contract = ['Send `email`.'],
}: Partial<Omit<LocaleFiles, 'translations'>> & {
  th?: { readonly [english: string]: string | undefined }
}): LocaleFiles {
  const translations = {
    'A name': 'ชื่อ',
    'site.title|A name': 'หัวเรื่อง',
    'Made from {version} by {key}.': 'สร้างจาก {version} ด้วย {key}',
    '{count} entries': '{count} รายการ',
    'Send `email`.': 'ส่ง `email`',
    ...th,
  }
  return {
    english,
    contract,
    translations: { th: JSON.parse(JSON.stringify(translations)) as { [english: string]: string } },
  }
}

describe('the check of the texts', () => {
  for (const [what, parts, expected] of [
    ['valid files', {}, []],
    [
      'a text without a translation, and one with an empty one',
      { th: { 'A name': undefined, 'Send `email`.': ' ' } },
      ['"A name" has no translation', '"Send `email`." has no translation'],
    ],
    [
      'an empty translation of one key',
      { th: { 'site.title|A name': '' } },
      ['"site.title|A name" has no translation'],
    ],
    [
      'a text whose English has changed',
      { contract: ['Send your `email`.'] },
      ['"Send your `email`." has no translation', '"Send `email`." is not an English text'],
    ],
    [
      'a text of one key whose English has changed',
      { english: { ...ENGLISH, site: { ...ENGLISH.site, title: '{count} entries' } } },
      ['"site.title|A name" is not an English text'],
    ],
    [
      'placeholders that are lost or added',
      { th: { 'A name': '{who}', 'Made from {version} by {key}.': 'จาก {version}' } },
      ['"A name" has {who}, which its English lacks', 'lacks {key}'],
    ],
    [
      'other code in backticks',
      { th: { 'Send `email`.': 'ส่ง email', 'A name': '`a`' } },
      ['"A name" has `a`, which its English lacks', '"Send `email`." lacks `email`'],
    ],
    [
      'an English text that is empty',
      { english: { ...ENGLISH, other: '' }, th: { '': 'ว่าง' } },
      ['locales/en.json: other is empty'],
    ],
    [
      'a plural form that English needs',
      { english: { ...ENGLISH, count: { other: '{count} entries' } } },
      ['locales/en.json: count.one is missing'],
    ],
  ] as const) {
    test(what, () => {
      const found = localeFaults(files(parts))
      assert.equal(found.length, expected.length, found.join('\n'))
      for (const [index, text] of expected.entries()) {
        assert.ok(found[index]?.includes(text), `${found[index]} has no "${text}"`)
      }
    })
  }

  test('asks for the plural forms of the language, which may omit the number where it is one', () => {
    const { translations, ...rest } = files({})
    const pl = { ...translations['th'], 'One entry': 'Jeden wpis' }
    assert.deepEqual(localeFaults({ ...rest, translations: { pl } }), [])
    const few = { ...pl, 'count.few|{count} entries': 'kilka' }
    assert.deepEqual(localeFaults({ ...rest, translations: { pl: few } }), [
      'locales/pl.json: "count.few|{count} entries" lacks {count}',
    ])
  })
})

test('reads the files of this repository, with every locale', () => {
  const { translations, contract } = readLocaleFiles(ROOT_DIR)
  assert.deepEqual(Object.keys(translations), LOCALES.slice(1))
  assert.ok(contract.length > 100)
})
