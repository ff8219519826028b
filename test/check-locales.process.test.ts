import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { LOCALES } from '@public-api/contract/registry/locales'
import {
  localeFaults,
  noteTranslated,
  readLocaleFiles,
  type LocaleFiles,
  type TextTree,
} from '../scripts/check-locales.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))

const ENGLISH = {
  site: { name: 'A name', made: 'Made from {version} by {key}.' },
  count: { one: 'One entry', other: '{count} entries' },
} as const satisfies TextTree

const THAI = {
  site: { name: 'ชื่อ', made: 'สร้างจาก {version} ด้วย {key}' },
  count: { one: 'ไม่ใช้', other: '{count} รายการ' },
} as const satisfies TextTree

const NO_LINE_BREAKS: LocaleFiles['lineBreaks'] = { loanwords: [], neighbors: [], prefixes: [] }

/** Files of two languages in which all is well but for what is exchanged. */
function files(
  parts: {
    en?: TextTree
    th?: TextTree
    contract?: LocaleFiles['contract']
    same?: readonly string[]
    lineBreaks?: Partial<LocaleFiles['lineBreaks']>
  } = {},
): LocaleFiles {
  const intact = {
    texts: { en: ENGLISH, th: THAI },
    contract: {},
    translatedFrom: {},
    sameAsEnglish: [],
    lineBreaks: NO_LINE_BREAKS,
  }
  const { translatedFrom } = { translatedFrom: noteTranslated(intact, 'th') }
  const texts = { en: parts.en ?? ENGLISH, th: parts.th ?? THAI }
  return {
    texts,
    contract: parts.contract ?? {},
    translatedFrom,
    sameAsEnglish: parts.same ?? [],
    lineBreaks: { ...NO_LINE_BREAKS, ...parts.lineBreaks },
  }
}

/** A file of Thai texts with one of a section exchanged. */
const thaiWith = (section: keyof typeof THAI, change: TextTree): TextTree => ({
  ...THAI,
  [section]: { ...THAI[section], ...change },
})

describe('the check of the texts', () => {
  test('reports nothing for valid files', () => {
    assert.deepEqual(localeFaults(files()), [])
  })

  for (const [what, parts, expected] of [
    [
      'a key that a language lacks',
      { th: { ...THAI, site: { name: 'ชื่อ' } } },
      ['locales/th.json: site.made is missing', 'site.made of th is not a key of its file'],
    ],
    [
      'a key that English has not',
      { th: thaiWith('site', { more: 'อีก' }) },
      ['locales/th.json: site.more is not in the English file'],
    ],
    [
      'a place that was lost',
      { th: thaiWith('site', { made: 'สร้างจาก {version}' }) },
      ['locales/th.json: site.made has no {key}'],
    ],
    [
      'a place that nothing fills',
      { th: thaiWith('site', { name: 'ชื่อ {who}' }) },
      ['locales/th.json: site.name has {who}, which English has not'],
    ],
    [
      'a text that is empty',
      { th: thaiWith('site', { name: ' ' }) },
      ['locales/th.json: site.name is empty'],
    ],
    [
      'a text that is empty in English',
      { en: { ...ENGLISH, site: { ...ENGLISH.site, name: '' } } },
      ['locales/en.json: site.name is empty', 'site.name is older than its English text'],
    ],
    [
      'a text that is still English',
      { th: thaiWith('site', { name: ENGLISH.site.name }) },
      ['locales/th.json: site.name is not translated'],
    ],
    [
      'a text whose English has changed',
      { en: { ...ENGLISH, site: { ...ENGLISH.site, name: 'Another name' } } },
      ['locales/th.json: site.name is older than its English text'],
    ],
    [
      'a text that is in no notes',
      {
        en: { ...ENGLISH, more: 'More' },
        th: { ...THAI, more: 'อีก' },
      },
      ['locales/th.json: more is not noted in locales/translated-from.json'],
    ],
    [
      'a plural form that English needs',
      { en: { ...ENGLISH, count: { other: '{count} entries' } } },
      ['locales/en.json: count lacks the plural form one', 'count.one is not in the English file'],
    ],
    [
      'a plural form that the language needs',
      { th: { ...THAI, count: { one: 'ไม่ใช้' } } },
      [
        'locales/th.json: count lacks the plural form other',
        'locales/th.json: count.other is missing',
        'count.other of th is not a key',
      ],
    ],
    [
      'a text of the contract without a translation, with an empty one and with the English one',
      {
        contract: {
          'Read the team': {},
          'Read the time': { th: ' ' },
          'Read the wallet': { th: 'Read the wallet' },
          'Read the status': { th: 'อ่านสถานะ' },
        },
      },
      [
        'locales/contract.json: "Read the team" has no translation for th',
        'locales/contract.json: "Read the time" has no translation for th',
        'locales/contract.json: "Read the wallet" has no translation for th',
      ],
    ],
    [
      'a translation of the contract that marks other code',
      {
        contract: {
          'Send `email`.': { th: 'ส่ง email' },
          'Send it.': { th: 'ส่ง `email`' },
          'Send `a` or `b`.': { th: 'ส่ง `b` หรือ `a` หรือ `b`' },
        },
      },
      [
        'locales/contract.json: "Send `email`." marks other code in th: found none, expected `email`',
        'locales/contract.json: "Send it." marks other code in th: found `email`, expected none',
      ],
    ],
    [
      'line breaks that are not Thai words, have no mark or are listed twice',
      {
        lineBreaks: {
          loanwords: ['บอท', 'วอล+เล็ต', 'โท|เค็น', 'ลง+', 'token'],
          neighbors: ['ดึง|สถานะ', 'เปิดตัว', 'วอ+ลเล็ต'],
          prefixes: [
            { word: 'การ', notAfter: ['บริ'], notBefore: 'ณ' },
            { word: 'ไม่', notAfter: [''], notBefore: '(' },
          ],
        },
      },
      [
        ...['ลง+', 'token', 'โท|เค็น', 'เปิดตัว', '', '('].map(
          (each) =>
            `locales/th-line-breaks.json: found "${each}", expected Thai letters with + or | between them`,
        ),
        'locales/th-line-breaks.json: วอลเล็ต is listed twice',
      ],
    ],
    [
      'a listed key that is gone',
      { same: ['site.gone'] },
      ['site.gone is not a key of the English'],
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

  test('allows listed texts and keys to stay English', () => {
    const th = thaiWith('site', ENGLISH.site)
    assert.deepEqual(localeFaults(files({ th, same: ['site'] })), [])
    assert.equal(localeFaults(files({ th, same: ['site.name'] })).length, 1)
  })

  test('a message of placeholders only needs no translation', () => {
    const parts = { en: { a: '{x}: {y}' }, th: { a: '{x}: {y}' } }
    const made = {
      texts: parts,
      contract: {},
      translatedFrom: {},
      sameAsEnglish: [],
      lineBreaks: NO_LINE_BREAKS,
    }
    const translatedFrom = noteTranslated(made, 'th')
    assert.deepEqual(localeFaults({ ...made, translatedFrom }), [])
  })

  test('a singular form may omit the number, and forms that a language lacks are ignored', () => {
    const th = thaiWith('count', { one: ENGLISH.count.one })
    assert.deepEqual(localeFaults(files({ th })), [])
  })
})

describe('noting that a locale was translated', () => {
  const en = {
    ...ENGLISH,
    site: { ...ENGLISH.site, name: 'Another name', made: 'Now {version} {key}' },
  }

  test('marks the texts below the named keys and keeps the other notes', () => {
    const before = files({ en })
    assert.equal(localeFaults(before).length, 2)
    const translatedFrom = noteTranslated(before, 'th', ['site.name'])
    const left = localeFaults({ ...before, translatedFrom })
    assert.deepEqual(left, ['locales/th.json: site.made is older than its English text'])
    const all = noteTranslated(before, 'th')
    assert.deepEqual(localeFaults({ ...before, translatedFrom: all }), [])
  })

  test('skips English texts and drops removed ones', () => {
    const before = files({ th: thaiWith('site', { name: ENGLISH.site.name }) })
    const noted = noteTranslated(before, 'th')['th'] ?? {}
    assert.ok(!Object.hasOwn(noted, 'site.name'))
    assert.ok(Object.hasOwn(noted, 'site.made'))
    const fewer = { ...before, texts: { en: { count: ENGLISH.count }, th: { count: THAI.count } } }
    assert.deepEqual(Object.keys(noteTranslated(fewer, 'th')['th'] ?? {}), [
      'count.one',
      'count.other',
    ])
  })
})

test('reads the files of this repository, with every locale', () => {
  const { texts, translatedFrom, sameAsEnglish } = readLocaleFiles(ROOT_DIR)
  assert.deepEqual(Object.keys(texts), [...LOCALES])
  assert.deepEqual(Object.keys(translatedFrom), LOCALES.slice(1))
  assert.ok(Array.isArray(sameAsEnglish))
})

test('prints help and rejects unknown arguments', () => {
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [path.join(ROOT_DIR, 'scripts/check-locales.ts'), ...args], {
      encoding: 'utf8',
    })
  const help = run('--help')
  assert.equal(help.status, 0)
  assert.match(help.stdout, /^Usage: npx node scripts\/check-locales\.ts/)
  for (const [args, message] of [
    [['--wrong'], /--wrong/],
    [['--translated', 'en'], /there is no translation en; expected th or zh-CN/],
    [['--translated', 'th', 'no.such'], /no text has the key no\.such/],
    [['site'], /keys go with --translated/],
  ] as const) {
    const wrong = run(...args)
    assert.equal(wrong.status, 2, wrong.stderr)
    assert.match(wrong.stderr, message)
  }
})
