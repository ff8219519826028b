import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { calendarText } from '../../src/pages/files/icalendar.ts'
import { parseMarkup } from '../../src/pages/markdown/page-tree.ts'
import { writeMarkdown } from '../../src/pages/markdown/write-markdown.ts'
import {
  code,
  escapeContent,
  escapeHtml,
  html,
  joinHtml,
  showHidden,
} from '../../src/pages/markup/html.ts'
import { writeInTurns } from '../../src/pages/markup/turns.ts'
import { xmlDocument, xmlElement } from '../../src/pages/markup/xml.ts'
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

test('late parts are made in order, once, and other parts of pages come between them', async () => {
  const made: string[] = []
  const late = (name: string) => () => {
    made.push(name)
    return html`<i>${name}</i>`
  }
  const page = html`<p>${[late('a'), 'x', html`<b>${() => late('b')}</b>`]}</p>`
  assert.deepEqual(made, [])
  const pieces: string[] = []
  const other = writeInTurns(html`${late('1')}${late('2')}`, () => {})
  await Promise.all([other, writeInTurns(page, (piece) => pieces.push(piece))])
  assert.equal(pieces.join(''), '<p><i>a</i>x<b><i>b</i></b></p>')
  assert.deepEqual(made, ['1', 'a', '2', 'b'])
  assert.equal(html`${page}${page}`.text, pieces.join('').repeat(2))
  assert.equal(made.length, 4)
})

test('shows what people would not see, in pages, Markdown, feeds and calendars', () => {
  const text = 'a\u{e0041}b\ufe0fc\u3164d\u009be'
  const shown = String.raw`a\udb40\udc41b\ufe0fc\u3164d\u009be`
  assert.equal(html`<p title="${text}">${text}</p>`.text, `<p title="${shown}">${shown}</p>`)
  assert.equal(escapeContent(text).text, shown)
  const markdown = writeMarkdown(parseMarkup(html`${text} ${code(text)}`.text), () => null)
  assert.equal(markdown, `${shown.replaceAll('\\', String.raw`\\`)} \`${shown}\`\n`)
  assert.ok(
    xmlDocument(xmlElement('title', { text }, [text])).includes(`text="${shown}">${shown}<`),
  )
  assert.equal(calendarText(text), shown.replaceAll('\\', String.raw`\\`))
  // Marks of Thai line breaks and tabs of code stay.
  assert.equal(escapeHtml('ก\u200bข\u2060ค\td'), 'ก\u200bข\u2060ค\td')
})

test('any text round-trips through markup', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CODE_POINT }), (text) => {
      assert.equal(unescapeHtml(escapeHtml(text)), showHidden(text))
      assert.doesNotMatch(escapeHtml(text), /[<>"']/)
      assert.equal(html`${text}`.text, escapeHtml(text))
    }),
  )
})

test('a code stays whole, and breaks only before slashes and after spaces where it is too long for a phone', () => {
  const long = 'https://status.example.org/th/status.atom'
  assert.equal(
    code(long).text,
    '<code>https://status.example.org<wbr />/th<wbr />/status.atom</code>',
  )
  const command = '/feed subscribe https://status.example.org'
  assert.equal(
    code(command).text,
    '<code>/feed <wbr />subscribe <wbr />https://status.example.org</code>',
  )
  assert.equal(code('/api/v1/status').text, '<code>/api/v1/status</code>')
  assert.equal(code('If-None-Match').text, '<code class="whole">If-None-Match</code>')
})
