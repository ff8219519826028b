import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../src/pages/markup/html.ts'
import {
  codesHtml,
  countText,
  inEnglish,
  listHtml,
  plainText,
  richText,
  sentencesHtml,
} from '../../src/pages/markup/rich-text.ts'

test('fills placeholders with escaped text or markup', () => {
  const { text } = richText('{a} & {b}, {a}', { a: '<i>', b: html`<b>x</b>` })
  assert.equal(text, '&lt;i&gt; &amp; <b>x</b>, &lt;i&gt;')
  assert.equal(plainText('{a} & {b}', { a: '<i>', b: 2 }), '<i> & 2')
})

test('does not fill placeholders inside values', () => {
  assert.equal(richText('{a} {b}', { a: '{b}', b: '$&' }).text, '{b} $&amp;')
  assert.equal(plainText('{a} {b}', { a: '{b}', b: '$&' }), '{b} $&')
})

test('throws for a placeholder without a value', () => {
  const expected = { name: 'TypeError', message: /\{missing\}/ }
  assert.throws(() => richText('{missing}', {}), expected)
  assert.throws(() => plainText('{missing}', {}), expected)
  // Not a member that every object has.
  assert.throws(() => richText('{toString}'), { name: 'TypeError', message: /\{toString\}/ })
})

test('formats counts by locale', () => {
  const forms = { one: '{count} version', other: '{count} versions' }
  assert.equal(countText('en', forms, 1).text, '1 version')
  assert.equal(countText('en', forms, 0).text, '0 versions')
  assert.equal(countText('en', forms, 12_345).text, '12,345 versions')
  assert.equal(countText('zh-CN', forms, 1).text, '1 versions')
  assert.equal(countText('en', { other: '{count} in all' }, 1).text, '1 in all')
})

test('joins lists by locale', () => {
  const pieces = ['a', html`<b>b</b>`, '<']
  assert.equal(listHtml('en', pieces).text, 'a, <b>b</b>, and &lt;')
  assert.equal(listHtml('zh-CN', pieces).text, 'a、<b>b</b> 和&lt;')
  assert.equal(listHtml('th', pieces).text, 'a <b>b</b> และ&lt;')
  assert.equal(listHtml('en', ['a']).text, 'a')
  assert.equal(listHtml('en', []).text, '')
})

test('separates Han and Thai words from Latin ones', () => {
  const names = [html`<a href="#甲">Audit</a>`, 'API 2']
  assert.equal(listHtml('zh-CN', names).text, '<a href="#甲">Audit</a> 和 API 2')
  assert.equal(listHtml('th', names).text, '<a href="#甲">Audit</a> และ API 2')
  assert.equal(listHtml('zh-CN', ['状态', 'API']).text, '状态和 API')
  assert.equal(listHtml('zh-CN', ['状态', '路线图']).text, '状态和路线图')
  assert.equal(listHtml('zh-CN', ['a', 'b', 'c']).text, 'a、b 和 c')
})

test('joins sentences and codes by locale', () => {
  const sentences = ['<', undefined, html`<b>b</b>`, false, 'c'] as const
  assert.equal(sentencesHtml('en', sentences).text, '&lt; <b>b</b> c')
  assert.equal(sentencesHtml('th', sentences).text, '&lt; <b>b</b> c')
  assert.equal(sentencesHtml('zh-CN', sentences).text, '&lt;<b>b</b>c')
  assert.equal(codesHtml('en', ['<', 'b']).text, '&lt;, b')
  assert.equal(codesHtml('zh-CN', ['<', 'b']).text, '&lt;、b')
})

test('marks English text on other pages', () => {
  assert.equal(inEnglish('en', '<').text, '&lt;')
  assert.equal(inEnglish('th', '<').text, '<span lang="en">&lt;</span>')
})
