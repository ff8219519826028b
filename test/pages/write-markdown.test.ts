import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { parseInTurns, parseMarkup } from '../../src/pages/markdown/page-tree.ts'
import { writeMarkdown } from '../../src/pages/markdown/write-markdown.ts'
import { html, Html } from '../../src/pages/markup/html.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { unescapeHtml } from '../support/page-markup.ts'
import { type MarkdownDocument, readMarkdown, withoutSpaces } from './markdown-document.ts'

const TARGET = 'https://api.example.test/en'
const PAGE = 'https://api.example.test/en/status'

function write(markup: Html): string {
  return writeMarkdown(parseMarkup(markup.text), (href) => URL.parse(href, PAGE))
}

/** Texts that mean something in Markdown, HTML or an entity. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '<!-- x',
  '</code><b>',
  '&lt;b&gt; &amp; &#60; &copy;',
  '[x](javascript:alert(1))',
  '![x](https://evil.test/p.png)',
  '<javascript:alert(1)>',
  '[x]: https://evil.test',
  '[^1]',
  '`code` ``two`` `',
  '```',
  '| a | b |',
  'a\\|b \\\\| c\\',
  '---',
  '***',
  '===',
  '# heading #',
  'C #',
  '- item',
  '+ item',
  '* item',
  '1. item',
  '2) item',
  '> quote',
  '~~struck~~ ~~~',
  '_a_ __b__ *c* **d**',
  '\ttab',
  'line\nline\n\n# heading',
  '    indented',
  'end \\',
  'ภาษาไทย **ก**',
  '中文_中文_**中文**',
  '\0',
] as const

const TEXT = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc
    .array(fc.constantFrom(...HOSTILE, ' ', 'a', '\\', '|', '`', '<'), { maxLength: 4 })
    .map((all) => all.join('')),
  fc.string({ unit: ANY_CODE_POINT, maxLength: 20 }),
)

/** Every construct that pages put text into. */
const PLACES: { readonly [name: string]: (text: string) => Html } = {
  paragraph: (text) => html`<p>${text}</p>`,
  'text beside code': (text) => html`<p>a <code>b</code>${text}<code>c</code></p>`,
  heading: (text) => html`<h2>${text}</h2>`,
  'list item': (text) =>
    html`<ul>
      <li>${text}</li>
      <li>
        <p>${text}</p>
        <p>${text}</p>
      </li>
    </ul>`,
  'numbered item': (text) =>
    html`<ol>
      <li>
        <p>x</p>
        <ul>
          <li>${text}</li>
        </ul>
      </li>
    </ol>`,
  term: (text) =>
    html`<dl>
      <dt>${text}</dt>
      <dd>x</dd>
    </dl>`,
  description: (text) =>
    html`<dl>
      <dt>x</dt>
      <dd>${text}</dd>
      <dd>
        <p>y</p>
        <p>${text}</p>
      </dd>
    </dl>`,
  cell: (text) =>
    html`<table>
      <tr>
        <th>a</th>
        <th>${text}</th>
      </tr>
      <tr>
        <td>${text}</td>
        <td>x</td>
      </tr>
    </table>`,
  'code in a cell': (text) =>
    html`<table>
      <tr>
        <th>a</th>
      </tr>
      <tr>
        <td>x <code>${text}</code></td>
      </tr>
    </table>`,
  code: (text) => html`<p>x <code>${text}</code> y</p>`,
  'link text': (text) => html`<p><a href="/en">${text}</a></p>`,
  strong: (text) => html`<p>x<strong>${text}</strong>y</p>`,
  'changed words': (text) => html`<p>x <del>${text}</del> <ins>${text}</ins></p>`,
  quote: (text) => html`<blockquote>${text}</blockquote>`,
}

function blocksOf({ kinds }: MarkdownDocument): readonly string[] {
  return kinds.filter((kind) => !/^(?:text|code_inline|strong_|link_|inline|softbreak)/.test(kind))
}

for (const [name, place] of Object.entries(PLACES)) {
  test(`text of any kind stays text: ${name}`, () => {
    fc.assert(
      fc.property(TEXT, (text) => {
        const markup = place(text)
        const markdown = write(markup)
        const read = readMarkdown(markdown)
        const harmless = readMarkdown(write(place('x')))
        assert.deepEqual(read.rawHtml, [], markdown)
        assert.ok(
          read.links.every((link) => link === TARGET),
          markdown,
        )
        // Parsers of HTML and of Markdown replace or drop these.
        if (/[^\P{Cc}\t\n]|[\u200b\u2060\ufeff]|\p{Noncharacter_Code_Point}/u.test(text)) return
        const expected = name === 'link text' && withoutSpaces(text) !== '' ? [TARGET] : []
        assert.deepEqual(read.links, expected, markdown)
        const shown = unescapeHtml(place(text).text.replaceAll(/<[^>]*>/g, ' '))
        const withoutMarks = (each: string) =>
          withoutSpaces(each).replaceAll(/\[-|-\]|\{\+|\+\}|[:,]/g, '')
        assert.equal(withoutMarks(read.text), withoutMarks(shown), markdown)
        if (withoutSpaces(text) !== '')
          assert.deepEqual(blocksOf(read), blocksOf(harmless), markdown)
      }),
      { numRuns: 150 },
    )
  })
}

test('links keep their addresses, and lead to no script', () => {
  for (const [href, expected] of [
    ['/en/a b', 'https://api.example.test/en/a%20b'],
    [
      'https://other.test/a_(b)?c=d|e&f=<g>&copy;',
      'https://other.test/a_%28b%29?c=d%7Ce&f=%3Cg%3E&copy;',
    ],
    ['mailto:a@example.test', 'mailto:a@example.test'],
    ['javascript:alert(1)', undefined],
    [' JAVA\tSCRIPT:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['vbscript:x', undefined],
    ['http://[', undefined],
  ] as const) {
    const { links, rawHtml } = readMarkdown(write(html`<p><a href="${href}">text</a></p>`))
    assert.deepEqual(links, expected === undefined ? [] : [expected], href)
    assert.deepEqual(rawHtml, [])
  }
})

test('code keeps its lines and its backticks', () => {
  const text = 'a\n\n```\n<b>&lt;\n    c |\\'
  const [fence] = new Set(readMarkdown(write(html`<pre><code>${text}</code></pre>`)).kinds)
  assert.equal(fence, 'fence')
  assert.equal(readMarkdown(write(html`<pre><code>${text}</code></pre>`)).text, withoutSpaces(text))
})

test('lists that follow each other stay two, and terms have their descriptions', () => {
  assert.equal(
    write(
      html`<ul>
          <li>a</li>
        </ul>
        <ul>
          <li>b</li>
        </ul>
        <dl>
          <dt>c</dt>
          <dd>d</dd>
          <dd>e</dd>
          <dt>f</dt>
        </dl>`,
    ),
    '- a\n\n* b\n\n- c: d, e\n- f\n',
  )
})

test('what only a browser shows is left out', () => {
  const markup = html`<h2>a <button>copy</button></h2>
    <p data-browser>b</p>
    <template>c</template><svg><text>d</text></svg>
    <p hidden>e</p>
    <noscript><p>f</p></noscript><input value="g" />
    <p></p>
    <ul></ul>
    <table></table>`
  assert.equal(write(markup), '## a\n\nf\n')
})

test('a long page is parsed in parts, wherever they are cut', async () => {
  const end = html`<p><b title="&amp; 1">a &amp; b 😀</b> <a href="/x">c</a></p>`.text
  for (let cut = 0; cut < end.length; cut += 1) {
    const markup = new Html(`<p>${'x'.repeat(8192 - '<p></p>'.length - cut)}</p>${end}`)
    const whole = writeMarkdown(parseMarkup(markup.text), (href) => URL.parse(href, PAGE))
    const inParts = writeMarkdown(await parseInTurns(markup), (href) => URL.parse(href, PAGE))
    assert.equal(inParts, whole)
  }
})
