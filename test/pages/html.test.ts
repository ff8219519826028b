import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { escapeHtml, html, joinHtml } from '../../src/pages/markup/html.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { unescapeHtml } from '../support/page-markup.ts'

test('escapes values in elements and attributes, and not markup', () => {
  const text = `<b>&"'`
  const { text: made } = html`<p title="${text}">${text}${html`<i>${1}</i>`}</p>`
  const escaped = '&lt;b&gt;&amp;&quot;&#39;'
  assert.equal(made, `<p title="${escaped}">${escaped}<i>1</i></p>`)
})

test('renders nothing for undefined and false, and joins lists', () => {
  assert.equal(
    html`[${undefined}${false}${[1, ['a', undefined, html`<b></b>`]]}${0}]`.text,
    '[1a<b></b>0]',
  )
  assert.equal(joinHtml(['a', html`<b></b>`, '<'], ', ').text, 'a, <b></b>, &lt;')
  assert.equal(joinHtml([], ', ').text, '')
})

test('any text round-trips through markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT }), (text) => {
      assert.equal(unescapeHtml(escapeHtml(text)), text)
      assert.doesNotMatch(escapeHtml(text), /[<>"']/)
      assert.equal(html`${text}`.text, escapeHtml(text))
    }),
  )
})

test('drops source indentation and keeps spaces in values', () => {
  const value = 'a  \n   b <br /> '
  const { text } = html`
    <div>
      <p>${value}</p>
    </div>
  `
  assert.equal(text, `\n<div><p>${escapeHtml(value)}</p></div>\n`)
  const pre = html`<pre>${html`${value}`}</pre> `
  assert.equal(pre.text, `<pre>${escapeHtml(value)}</pre>\n`)
})

test('keeps line breaks between elements and drops them at block ends', () => {
  const { text } = html`<ul class="${'a'}">
    <li>
      <a href="/">${1}</a>
      <b>2</b>
    </li>
    <li>3</li>
  </ul>`
  assert.equal(text, '<ul class="a"><li><a href="/">1</a>\n<b>2</b></li>\n<li>3</li></ul>')
  const shown = html`<pre>
 ${'\n'}<span>
 1
 </span>
 </pre>`
  assert.equal(shown.text, '<pre>\n\n<span>\n1\n</span>\n</pre>')
})

test('void elements have no slash', () => {
  assert.equal(html`<br /><input name="${'a/'}" disabled />`.text, '<br><input name="a/" disabled>')
  assert.equal(
    html`<link rel="canonical" href="${'https://example.test/'}" />`.text,
    '<link rel="canonical" href="https://example.test/">',
  )
  // Others keep it: in SVG it ends the element.
  assert.equal(html`<svg><path d="${'M0 0'}" /></svg>`.text, '<svg><path d="M0 0" /></svg>')
})
