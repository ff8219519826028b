import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { ERRORS } from '@public-api/contract/errors/errors'
import { contractText, withCode } from '../../src/pages/texts/contract-texts.ts'
import translations from '../../locales/contract.json' with { type: 'json' }

describe('code in contract texts', () => {
  for (const [text, expected] of [
    ['See the Allow header.', 'See the Allow header.'],
    ['Wait for Retry-After.', 'Wait for <code class="whole">Retry-After</code>.'],
    ['Listed at /api/v1/versions.', 'Listed at <code>/api/v1/versions</code>.'],
    ['Answered 403 PREVIEW_NOT_ENABLED.', 'Answered 403 <code>PREVIEW_NOT_ENABLED</code>.'],
    ['The error DUPLICATE', 'The error <code>DUPLICATE</code>'],
    ['Send useCase as text', 'Send <code>useCase</code> as text'],
    ['must be application/json', 'must be <code>application/json</code>'],
    ['ส่งเป็น challengeTokenเท่านั้น', 'ส่งเป็น <code>challengeToken</code>เท่านั้น'],
    ['请使用Retry-After。', '请使用<code class="whole">Retry-After</code>。'],
    ['Send it in the field email.', 'Send it in the field <code>email</code>.'],
    ['A valid email address', 'A valid email address'],
    ['请在 email 字段中发送', '请在 <code>email</code> 字段中发送'],
    ['interests 最多', '<code>interests</code> 最多'],
    ['ส่งอีเมลในฟิลด์ email', 'ส่งอีเมลในฟิลด์ <code>email</code>'],
    [
      'Send it as Authorization: Bearer.',
      'Send it as <code class="whole">Authorization: Bearer</code>.',
    ],
    ['UTC, JSON and OpenAPI are words of people', 'UTC, JSON and OpenAPI are words of people'],
    ['a < b & "c"', 'a &lt; b &amp; &quot;c&quot;'],
  ] as const) {
    test(text, () => assert.equal(withCode(text).text, expected))
  }

  test('never marks part of a word as code', () => {
    const texts = [
      ...Object.values(ENDPOINTS).flatMap(({ summary, description }) => [summary, description]),
      ...Object.values(ERRORS).flatMap(({ meaning, message }) => [meaning, message]),
    ]
    for (const text of texts) assert.doesNotMatch(withCode(text).text, /[\w-]<code>|<\/code>\w/)
  })
})

describe('contract texts by locale', () => {
  const { summary } = ENDPOINTS.status

  test('uses the table in English', () => {
    assert.equal(contractText('en', summary).text, summary)
    assert.equal(contractText('en', 'Not translated').text, 'Not translated')
  })

  test('translates an exact English match', () => {
    assert.equal(contractText('zh-CN', summary).text, translations[summary]['zh-CN'])
    assert.notEqual(contractText('th', summary).text, contractText('zh-CN', summary).text)
  })

  test('falls back to English marked with lang', () => {
    const text = 'Read what /api/v1/next has'
    const expected = '<span lang="en">Read what <code>/api/v1/next</code> has</span>'
    assert.equal(contractText('zh-CN', text).text, expected)
  })
})
