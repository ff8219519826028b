import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ERRORS } from '@public-api/contract/errors/errors'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { REQUEST_SCHEMAS, TIME_STATES } from '@public-api/contract/registry/schemas'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { BASE_PATH } from '@public-api/contract/terms/api-version'
import { HEADERS } from '@public-api/contract/terms/headers'
import { LOCALES } from '@public-api/contract/terms/locales'
import { OWN_CONTRACT } from '../../scripts/contract-outline.ts'
import { contractText, contractTextsOf, withCode } from '../../src/pages/texts/contract-texts.ts'
import { translationOf } from '../../src/pages/texts/translations.ts'

const TEXTS = contractTextsOf(OWN_CONTRACT)

describe('code in contract texts', () => {
  for (const [text, expected] of [
    ['See the Allow header.', 'See the Allow header.'],
    ['Wait for `Retry-After`.', 'Wait for <code class="whole">Retry-After</code>.'],
    ['`limit` or `before`', '<code>limit</code> or <code>before</code>'],
    ['请使用`useCase`。', '请使用<code>useCase</code>。'],
    ['`W/"<digest>"` & more', '<code>W/&quot;&lt;digest&gt;&quot;</code> &amp; more'],
  ] as const) {
    test(text, () => assert.equal(withCode(text).text, expected))
  }

  test('is between two backticks, in every language', () => {
    for (const text of TEXTS.flatMap((english) =>
      LOCALES.map((locale) => translationOf(locale, english) ?? english),
    )) {
      assert.match(text, /^[^`]*(?:`[^`\s](?:[^`]*[^`\s])?`[^`]*)*$/, text)
    }
  })

  test('is marked: no field, header, path, code or value of the contract is in plain text', () => {
    const names = new Set([
      ...Object.keys(REQUEST_SCHEMAS.Registration.properties).filter((name) => /[A-Z]/.test(name)),
      ...Object.values(HEADERS).filter((name) => name.includes('-')),
      ...Object.keys(ERRORS),
      ...TIME_STATES,
      BASE_PATH,
    ])
    const plain = new RegExp(`(?<![\\w-])(?:${[...names].join('|')})(?![\\w-])`)
    for (const text of TEXTS) {
      assert.doesNotMatch(text.replaceAll(/`[^`]*`/g, ''), plain)
    }
  })

  test('is not in titles and summaries, which OpenAPI and the pages show as plain text', () => {
    const titles = [
      ...Object.values(ENDPOINTS).map(({ summary }) => summary),
      ...Object.values(SNAPSHOT_SCHEMAS).map(({ title }) => title),
    ]
    for (const title of titles) assert.ok(!title.includes('`'), title)
  })
})

describe('contract texts by locale', () => {
  const { summary } = ENDPOINTS.status

  test('uses the table in English', () => {
    assert.equal(contractText('en', summary).text, summary)
    assert.equal(contractText('en', 'Not translated').text, 'Not translated')
  })

  test('translates an exact English match', () => {
    assert.equal(contractText('zh-CN', summary).text, translationOf('zh-CN', summary))
    assert.notEqual(contractText('th', summary).text, contractText('zh-CN', summary).text)
  })

  test('falls back to English marked with lang', () => {
    const text = 'Read what `/api/v1/next` has'
    const expected = '<span lang="en">Read what <code>/api/v1/next</code> has</span>'
    assert.equal(contractText('zh-CN', text).text, expected)
  })
})
