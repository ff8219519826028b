import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributeOf, parsePage, textIn } from '../support/page-markup.ts'

const page = parsePage(`<!doctype html>
<html lang="en"><head><title>T</title></head><body>
<main id="m" class="wide open"><p class="a">One &amp; <b>two</b></p>
<ul><li data-x="a, b">first<ul><li>inner</li></ul></li></ul>
<template><p hidden>in a template</p></template><noscript><p class="a c">no script</p></noscript></main>
</body></html>`)

test('a selector finds names, classes, ids, attributes, descendants, children and lists', () => {
  for (const [selector, expected] of [
    ['title', ['T']],
    ['#m.open.wide > p', ['One & two']],
    ['main p', ['One & two', 'in a template', 'no script']],
    ['p.a.c', ['no script']],
    ['p[hidden]', ['in a template']],
    ['[data-x="a, b"]', ['firstinner']],
    ['[data-x="a"]', []],
    ['main > ul > li', ['firstinner']],
    ['li li, b', ['two', 'inner']],
    ['p > *', ['two']],
    ['ul p', []],
  ] as const) {
    assert.deepEqual(page.all(selector).map(textIn), expected, selector)
  }
  for (const unknown of ['', 'p:first-child', 'a + b', 'a[href^="/"]', '> p', 'p >']) {
    assert.throws(() => page.all(unknown), /expected a selector/, unknown)
  }
})

test('elements know their attributes and the elements around them', () => {
  const [inner] = page.all('li li')
  assert.deepEqual(page.ids, ['m'])
  assert.equal(inner?.parentElement?.parentElement?.hasAttribute('data-x'), true)
  assert.equal(inner.querySelector('p'), null)
  const [hidden] = page.all('template p')
  assert.ok(hidden !== undefined && hidden.hasAttribute('hidden'))
  assert.equal(attributeOf(hidden, 'hidden'), undefined)
})

test('a page with an error of the syntax is refused', () => {
  for (const wrong of ['<p>', '<!doctype html><p id="a" id="b">']) {
    assert.throws(() => parsePage(wrong), /^Error: line 1: [a-z-]+$/, wrong)
  }
})
