import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LOCALES } from '@public-api/contract/terms/locales'
import { parseAtomFeed } from 'feedsmith'
import { SaxesParser } from 'saxes'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { fullContent, releasesOf } from '../support/made-content.ts'
import { attributeOf, parsePage } from '../support/page-markup.ts'
import { runApp } from '../support/running-app.ts'

interface JsonFeed {
  readonly version: string
  readonly feed_url: string
  readonly items: readonly { readonly id: string; readonly url: string; readonly title: string }[]
}

const content = fullContent((nth) => `Text <${nth}>.`)
const releases = () => releasesOf(content, { previous: (resources) => resources })

test('has one entry for each version and each incident, with stable tag URIs', async (t) => {
  const app = await runApp(t, { releases: releases() })
  const feeds: JsonFeed[] = []
  for (const locale of LOCALES) {
    const response = await app.fetch(`/${locale}/feed.json`)
    assert.equal(response.headers.get('content-type'), 'application/feed+json; charset=utf-8')
    feeds.push((await response.json()) as JsonFeed)
  }
  const [english] = feeds
  assert.equal(english?.version, 'https://jsonfeed.org/version/1.1')
  const { incidents, maintenances = [] } = content.status
  assert.equal(english.items.length, 2 + incidents.length + maintenances.length)
  for (const { id } of english.items) assert.match(id, /^tag:127\.0\.0\.1,\d{4}-\d\d-\d\d:\w+\//)
  // The same thing has the same id in every locale.
  const ids = feeds.map(({ items }) => items.map(({ id }) => id))
  for (const each of ids) assert.deepEqual(each, ids[0])
  assert.equal(new Set(ids[0]).size, english.items.length)
})

test('entries lead to pages', async (t) => {
  const app = await runApp(t, { releases: releases() })
  const { items } = (await (await app.fetch('/th/feed.json')).json()) as JsonFeed
  for (const { url } of items) {
    const { pathname, hash } = new URL(url)
    const page = parsePage(await app.text(pathname))
    if (hash !== '') assert.ok(page.ids.includes(hash.slice(1)), url)
  }
})

test('the Atom feed has the same entries and escapes texts', async (t) => {
  const app = await runApp(t, { releases: releases() })
  const { items } = (await (await app.fetch('/en/feed.json')).json()) as JsonFeed
  const response = await app.fetch('/en/feed.atom')
  assert.equal(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
  const text = await response.text()
  const ids = [...text.matchAll(/<entry>.*?<id>(.*?)<\/id>/gs)].map(([, id]) => id)
  assert.deepEqual(
    ids,
    items.map(({ id }) => id),
  )
  assert.match(text, /<link rel="self" href="[^"]+\/en\/feed\.atom"/)
  assert.ok(!/<p>Text <\d/.test(text))
})

test('titles of the Atom feed are text, whatever they contain', async (t) => {
  const titles = [
    '<script>alert(1)</script> in the log',
    'Requests for /items/<id> fail',
    'AT&amp;T & "others" ]]> \uffff \u{1f30a}',
  ]
  const [incident] = content.status.incidents
  assert.ok(incident)
  const incidents = titles.map((title, nth) => ({ ...incident, id: `incident-${nth}`, title }))
  const odd = { ...content, status: { ...content.status, incidents } }
  const app = await runApp(t, { releases: releasesOf(odd) })
  const types = new Set<string | undefined>()
  for (const locale of LOCALES) {
    const text = await (await app.fetch(`/${locale}/feed.atom`)).text()
    // A strict parser of XML. The parser of feeds does not report these attributes.
    const parser = new SaxesParser()
    parser.on('error', (error) => assert.fail(error))
    parser.on('opentag', ({ name, attributes }) => {
      if (name === 'title') types.add(attributes['type'])
      if (name === 'feed') assert.equal(attributes['xml:lang'], locale)
    })
    parser.write(text).close()
    const entries = JSON.stringify(parseAtomFeed(text).entries?.map(({ title }) => title))
    for (const title of titles) {
      const expected = JSON.stringify(title.replace('\uffff', '\ufffd')).slice(1, -1)
      assert.ok(entries.includes(expected), `${locale}: ${title} in ${entries}`)
    }
  }
  assert.deepEqual([...types], ['text'])
})

test('every page links the feeds of its locale', async (t) => {
  const app = await runApp(t)
  for (const locale of LOCALES) {
    const page = parsePage(await (await app.fetch(pathOfPage(locale, 'roadmap'))).text())
    const links = page
      .all('link[rel="alternate"][type]')
      .map((link) => [attributeOf(link, 'type'), attributeOf(link, 'href')])
      .filter(([type]) => type?.startsWith('application/'))
    assert.deepEqual(links, [
      ['application/atom+xml', `/${locale}/feed.atom`],
      ['application/feed+json', `/${locale}/feed.json`],
    ])
  }
})

test('releases of the API have a feed of their own, and pages link to the feed of what they show', async (t) => {
  const app = await runApp(t, { releases: releases() })
  for (const locale of LOCALES) {
    const feed = (await (await app.fetch(`/${locale}/changelog.json`)).json()) as JsonFeed
    assert.equal(feed.items.length, content.changelog.releases.length)
    const page = parsePage(await (await app.fetch(`/${locale}/changelog`)).text())
    for (const { id, url } of feed.items) {
      assert.match(id, /^tag:127\.0\.0\.1,\d{4}-\d\d-\d\d:releases\//)
      assert.ok(page.ids.includes(new URL(url).hash.slice(1)), url)
    }
    const atom = parseAtomFeed(await (await app.fetch(`/${locale}/changelog.atom`)).text())
    assert.equal(atom.entries?.length, feed.items.length)
    for (const [path, name] of [
      ['status', 'status'],
      ['changelog', 'changelog'],
      ['history', 'feed'],
    ] as const) {
      const { all } = parsePage(await (await app.fetch(pathOfPage(locale, path))).text())
      for (const format of ['atom', 'json']) {
        const address = `/${locale}/${name}.${format}`
        const hrefs = (selector: string) => all(selector).map((each) => attributeOf(each, 'href'))
        assert.ok(hrefs('head link').includes(address), `${path}: ${address}`)
        assert.ok(hrefs('main a').includes(address), `${path}: ${address}`)
      }
    }
  }
})
