import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { LOCALES, type Locale } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { TEXTS } from '../../src/pages/texts/texts.ts'
import { htmlFaults } from '../support/page-checks.ts'
import { attributeOf, parsePage, textIn, type PageMarkup } from '../support/page-markup.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'

/** A page as it was sent. */
interface SentPage {
  readonly path: string
  readonly locale: Locale
  readonly text: string
  readonly markup: PageMarkup
}

async function readPage(app: RunningApp, locale: Locale, path: string): Promise<SentPage> {
  const text = await (await app.fetch(path)).text()
  return { path, locale, text, markup: parsePage(text) }
}

/** Every page of a locale, and the page of an unknown path. */
function readLocale(app: RunningApp, locale: Locale): Promise<readonly SentPage[]> {
  const paths = [...PAGES.map(({ path }) => path), 'no-such-page']
  return Promise.all(paths.map((path) => readPage(app, locale, pathOfPage(locale, path))))
}

function readAll(app: RunningApp): Promise<readonly SentPage[]> {
  return Promise.all(LOCALES.map((locale) => readLocale(app, locale))).then((pages) => pages.flat())
}

test('the validator reports known faults', async () => {
  const text = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>a</title></head>
<body><h1>a</h1><h3 id="a">b</h3><p id="a" style="top: 0"><input type="text"></p>
<nav><a href="/"></a></nav><nav><p aria-label="c">d</p></nav><div role="button" aria-describedby="f">e</div><button type="button"></button><ul role="list"></ul>
<x-unknown></x-unknown></body></html>`
  const found = await htmlFaults(text)
  const rules = found.map((fault) => fault.split(': ')[1])
  for (const rule of [
    'heading-level',
    'no-dup-id',
    'no-missing-references',
    'no-inline-style',
    'input-missing-label',
    'unique-landmark',
    'aria-label-misuse',
    'prefer-native-element',
    'no-redundant-role',
    'text-content',
    'wcag/h30',
    'no-unknown-elements',
  ]) {
    assert.ok(rules.includes(rule), `${rule} in ${rules.join(', ')}`)
  }
})

for (const [name, parts] of SITE_VARIANTS) {
  describe(name, () => {
    let read: Promise<readonly SentPage[]> | undefined
    /** All pages, read while the first test that wants them runs. */
    const sent = (t: TestContext) => (read ??= runApp(t, parts).then(readAll))

    test('has no inline code and loads nothing from other origins', async (t) => {
      for (const { path, text, markup } of await sent(t)) {
        assert.equal(markup.all('style, base, iframe, object, embed').length, 0, path)
        assert.equal(markup.all('[style], [srcdoc], [http-equiv]').length, 0, path)
        assert.doesNotMatch(text, /<[^>]*\son[a-z]+\s*=/i, path)
        assert.doesNotMatch(text, /(?:href|src|action)\s*=\s*["']?\s*(?:javascript|data):/i, path)
        for (const script of markup.all('script[src]')) {
          assert.match(attributeOf(script, 'src') ?? '', /^\/assets\//, path)
          assert.equal(textIn(script), '', path)
        }
        for (const link of markup.all('link[rel="stylesheet"], link[rel="icon"]')) {
          assert.match(attributeOf(link, 'href') ?? '', /^\/(?:assets|identity)\//, path)
        }
        for (const element of markup.all('img, source, audio, video')) {
          assert.match(attributeOf(element, 'src') ?? '', /^\/(?!\/)/, path)
        }
        for (const form of markup.all('form[action]')) {
          assert.match(attributeOf(form, 'action') ?? '', /^\/(?!\/)/, path)
        }
      }
    })
  })
}

/** The one value of an attribute that a selector leads to. */
function only({ markup, path }: SentPage, selector: string, attribute: string): string {
  const found = markup.all(selector)
  assert.equal(found.length, 1, `${path}: ${selector}`)
  const [element] = found
  return (element && attributeOf(element, attribute)) ?? ''
}

const ORIGIN = 'https://pages.example.test'

for (const locale of LOCALES) {
  test(`each page in ${locale} has its lang, a unique title and a unique description`, async (t) => {
    const pages = await readLocale(await runApp(t, { baseUrl: ORIGIN }), locale)
    const titles = new Set<string>()
    const descriptions = new Set<string>()
    for (const page of pages) {
      assert.equal(only(page, 'html', 'lang'), locale, page.path)
      const title = page.markup.all('title').map(textIn).join('')
      assert.ok(title.includes(TEXTS[locale].site.name), `${page.path}: ${title}`)
      assert.ok(title.length <= 70, `${page.path}: the title has ${title.length} characters`)
      const description = only(page, 'meta[name="description"]', 'content')
      assert.ok(description.length > 10, page.path)
      assert.ok(description.length <= 200, `${page.path}: ${description.length} characters`)
      titles.add(title)
      descriptions.add(description)
    }
    assert.equal(titles.size, pages.length)
    assert.equal(descriptions.size, pages.length)
  })
}

test('canonical and hreflang links are mutual', async (t) => {
  const app = await runApp(t, { baseUrl: ORIGIN })
  const named = new Map<string, string>()
  for (const { path: place } of PAGES) {
    for (const locale of LOCALES) {
      const path = pathOfPage(locale, place)
      const page = await readPage(app, locale, path)
      assert.equal(only(page, 'link[rel="canonical"]', 'href'), ORIGIN + path)
      const alternates = page.markup
        .all('link[rel="alternate"][hreflang]')
        .map((link) => [attributeOf(link, 'hreflang'), attributeOf(link, 'href')])
      assert.deepEqual(
        alternates,
        [
          ...LOCALES.map((other) => [other, ORIGIN + pathOfPage(other, place)]),
          ['x-default', ORIGIN + pathOfPage('en', place)],
        ],
        path,
      )
      // Mutual, so that search engines believe them: all pages of a place say the same.
      const text = JSON.stringify(alternates)
      assert.equal(named.get(place) ?? text, text, path)
      named.set(place, text)
      assert.equal(page.markup.all('meta[name="robots"]').length, 0, path)
    }
  }
})

test('the 404 page has no canonical link and is noindex', async (t) => {
  const app = await runApp(t, { baseUrl: ORIGIN })
  for (const locale of LOCALES) {
    const page = await readPage(app, locale, pathOfPage(locale, 'no-such-page'))
    assert.equal(
      page.markup.all('link[rel="canonical"], link[rel="alternate"][hreflang]').length,
      0,
    )
    assert.equal(only(page, 'meta[name="robots"]', 'content'), 'noindex')
  }
})

test('the language switch leads to the same page', async (t) => {
  const app = await runApp(t)
  for (const { path: place } of PAGES) {
    for (const locale of LOCALES) {
      const { path, markup } = await readPage(app, locale, pathOfPage(locale, place))
      const links = markup.all('nav.languages a').map((link) => ({
        href: attributeOf(link, 'href'),
        lang: attributeOf(link, 'lang'),
        hreflang: attributeOf(link, 'hreflang'),
        text: textIn(link),
      }))
      const others = LOCALES.filter((other) => other !== locale).map((other) => ({
        href: pathOfPage(other, place),
        lang: other,
        hreflang: other,
        text: TEXTS[other].site.language,
      }))
      assert.deepEqual(links, others, path)
    }
  }
})

test('the navigation lists every page once and marks the current one', async (t) => {
  const app = await runApp(t)
  for (const { path: place, parent } of PAGES) {
    const { path, markup } = await readPage(app, 'th', pathOfPage('th', place))
    const links = markup.all('nav.pages a')
    assert.deepEqual(
      links.map((link) => [attributeOf(link, 'href'), textIn(link)]),
      PAGES.filter((page) => page.parent === undefined).map((page) => [
        pathOfPage('th', page.path),
        page.title(TEXTS.th),
      ]),
      path,
    )
    const current = links.filter((link) => attributeOf(link, 'aria-current') !== undefined)
    assert.deepEqual(
      current.map((link) => [attributeOf(link, 'href'), attributeOf(link, 'aria-current')]),
      parent === undefined ? [[path, 'page']] : [[pathOfPage('th', parent), 'true']],
    )
  }
})
