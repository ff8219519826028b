import assert from 'node:assert/strict'
import { test } from 'node:test'
import { html } from '../../src/pages/html.ts'
import {
  codesHtml,
  countPhrase,
  inEnglish,
  listHtml,
  phrase,
  plainPhrase,
  sentencesHtml,
} from '../../src/pages/phrase.ts'

test('a phrase is filled with text that is escaped and markup that is not', () => {
  const { text } = phrase('{a} & {b}, {a}', { a: '<i>', b: html`<b>x</b>` })
  assert.equal(text, '&lt;i&gt; &amp; <b>x</b>, &lt;i&gt;')
  assert.equal(plainPhrase('{a} & {b}', { a: '<i>', b: 2 }), '<i> & 2')
})

test('what a value holds is not filled again', () => {
  assert.equal(phrase('{a} {b}', { a: '{b}', b: '$&' }).text, '{b} $&amp;')
  assert.equal(plainPhrase('{a} {b}', { a: '{b}', b: '$&' }), '{b} $&')
})

test('a place without a value is a mistake that names it', () => {
  const expected = { name: 'TypeError', message: /\{missing\}/ }
  assert.throws(() => phrase('{missing}', {}), expected)
  assert.throws(() => plainPhrase('{missing}', {}), expected)
  // Not a member that every object has.
  assert.throws(() => phrase('{toString}'), { name: 'TypeError', message: /\{toString\}/ })
})

test('a count is written in the form and with the digits of its language', () => {
  const forms = { one: '{count} version', other: '{count} versions' }
  assert.equal(countPhrase('en', forms, 1).text, '1 version')
  assert.equal(countPhrase('en', forms, 0).text, '0 versions')
  assert.equal(countPhrase('en', forms, 12_345).text, '12,345 versions')
  assert.equal(countPhrase('zh-CN', forms, 1).text, '1 versions')
  assert.equal(countPhrase('en', { other: '{count} in all' }, 1).text, '1 in all')
})

test('a row of pieces is joined as its language does', () => {
  const pieces = ['a', html`<b>b</b>`, '<']
  assert.equal(listHtml('en', pieces).text, 'a, <b>b</b>, and &lt;')
  assert.equal(listHtml('zh-CN', pieces).text, 'a、<b>b</b> 和&lt;')
  assert.equal(listHtml('th', pieces).text, 'a <b>b</b> และ&lt;')
  assert.equal(listHtml('en', ['a']).text, 'a')
  assert.equal(listHtml('en', []).text, '')
})

test('a word between Latin names stands off from them', () => {
  const names = [html`<a href="#甲">Audit</a>`, 'API 2']
  assert.equal(listHtml('zh-CN', names).text, '<a href="#甲">Audit</a> 和 API 2')
  assert.equal(listHtml('th', names).text, '<a href="#甲">Audit</a> และ API 2')
  assert.equal(listHtml('zh-CN', ['状态', 'API']).text, '状态和 API')
  assert.equal(listHtml('zh-CN', ['状态', '路线图']).text, '状态和路线图')
  assert.equal(listHtml('zh-CN', ['a', 'b', 'c']).text, 'a、b 和 c')
})

test('sentences and words of machines are set in a row as their language does', () => {
  const sentences = ['<', undefined, html`<b>b</b>`, false, 'c'] as const
  assert.equal(sentencesHtml('en', sentences).text, '&lt; <b>b</b> c')
  assert.equal(sentencesHtml('th', sentences).text, '&lt; <b>b</b> c')
  assert.equal(sentencesHtml('zh-CN', sentences).text, '&lt;<b>b</b>c')
  assert.equal(codesHtml('en', ['<', 'b']).text, '&lt;, b')
  assert.equal(codesHtml('zh-CN', ['<', 'b']).text, '&lt;、b')
})

test('a run of English is marked where the page is not English', () => {
  assert.equal(inEnglish('en', '<').text, '&lt;')
  assert.equal(inEnglish('th', '<').text, '<span lang="en">&lt;</span>')
})
