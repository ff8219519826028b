import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prefersMarkdown } from '../../src/pages/serving/prefers-markdown.ts'

test('only a client that names Markdown with the weight of HTML or more gets it', () => {
  for (const [accept, expected] of [
    [undefined, false],
    ['', false],
    ['*/*', false],
    ['text/*', false],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', false],
    ['text/markdown', true],
    ['TEXT/Markdown', true],
    ['text/markdown, text/html, */*', true],
    ['text/html, text/markdown', true],
    ['text/html, text/markdown;q=0.9', false],
    ['text/html;q=0.8, text/markdown;q=0.9', true],
    ['text/markdown;q=0.5, */*;q=0.1', true],
    ['text/markdown;q=0.5, text/*;q=0.6', false],
    ['text/markdown;q=0.5, text/html;q=0.2, */*', true],
    ['text/markdown;q=0', false],
    ['text/markdown;q=0, */*', false],
    ['text/markdown;variant=GFM;q=0.5', true],
    ['text/markdown ; Q=1.000 , text/html ; q=0.999', true],
    ['text/markdown;q=2', true],
    ['text/markdownx', false],
    ['application/markdown', false],
    [';;;,/,text/markdown', true],
    ['text/markdown'.repeat(1000), false],
  ] as const) {
    assert.equal(prefersMarkdown(accept), expected, accept ?? 'none')
  }
})
