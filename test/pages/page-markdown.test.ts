import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { createExample } from '@public-api/contract/documents/examples'
import { SNAPSHOT_NAMES, SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { LOCALES } from '@public-api/contract/terms/locales'
import type { AppDependencies } from '../../src/app.ts'
import { markdownPath, pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { type MadeContent, releasesOf } from '../support/made-content.ts'
import {
  attributeOf,
  parsePage,
  textIn,
  type PageMarkup,
  type PageElement,
} from '../support/page-markup.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { useFileScope } from '../support/test-scope.ts'
import { readMarkdown, withoutSpaces } from './markdown-document.ts'

const MARKDOWN = { Accept: 'text/markdown' }

/** Elements that only a browser shows. */
const LEFT_OUT = /^(?:template|button|svg|altcha-widget|input|textarea)$/

const TEXT_BLOCK = /^(?:h[1-4]|p|li|dt|dd|th|td|pre|figcaption|caption|summary)$/

function isLeftOut(element: PageElement): boolean {
  return (
    LEFT_OUT.test(element.tagName) ||
    element.hasAttribute('data-browser') ||
    element.hasAttribute('hidden')
  )
}

/** The texts of the blocks of `main` that contain neither another block nor what is left out, in order. */
function textsOf({ all }: PageMarkup): readonly { readonly tag: string; readonly text: string }[] {
  const elements = all('main *')
  const isBlock = (each: PageElement) => TEXT_BLOCK.test(each.tagName)
  const containers = new Set(
    elements
      .filter((each) => isBlock(each) || isLeftOut(each))
      .flatMap(({ parentElement }) => ancestorsOf(parentElement)),
  )
  return elements
    .filter((each) => isBlock(each) && !ancestorsOf(each).some(isLeftOut))
    .filter((each) => !containers.has(each))
    .map((each) => ({ tag: each.tagName, text: withoutSpaces(textIn(each)) }))
}

function ancestorsOf(element: PageElement | null): readonly PageElement[] {
  return element === null ? [] : [element, ...ancestorsOf(element.parentElement)]
}

const PATHS = LOCALES.flatMap((locale) =>
  [...PAGES.map(({ path }) => path), 'history/VS-0001'].map((path) => pathOfPage(locale, path)),
)

/** What is published, and the example with everything that content can have. */
const VARIANTS = SITE_VARIANTS.filter(([name]) => /published|example/.test(name))

const PLAIN: Partial<AppDependencies> = {}
const scope = useFileScope()
const running = new Map<Partial<AppDependencies>, Promise<RunningApp>>()

/** One app for the same parts serves all tests, so that each page is rendered once. */
function runOnce(parts: Partial<AppDependencies> = PLAIN): Promise<RunningApp> {
  const app = running.get(parts) ?? runApp(scope, parts)
  running.set(parts, app)
  return app
}

for (const [name, parts] of VARIANTS) {
  test(`${name}: the Markdown of every page has its headings and texts`, async () => {
    const app = await runOnce(parts)
    const twins = new Set(PATHS.map((path) => markdownPath(path)))
    for (const path of PATHS) {
      const page = parsePage(await app.text(path))
      const markdown = await app.text(markdownPath(path))
      const { headings, text, links, rawHtml } = readMarkdown(markdown)
      assert.deepEqual(rawHtml, [], path)
      const texts = textsOf(page)
      const expected = texts.filter(({ tag }) => /^h\d$/.test(tag))
      assert.deepEqual(
        headings.slice(0, -1),
        expected.map((each) => `${each.tag} ${each.text}`),
        path,
      )
      const withoutMarks = (each: string) => each.replaceAll(/\[-|-\]|\{\+|\+\}/g, '')
      const shown = withoutMarks(text)
      // The page that explains signatures is signed for itself, at another time than its Markdown.
      const isSample = (each: string) => path.endsWith('/verify') && /=:?$|Z$/.test(each)
      for (const { text: each } of texts) {
        if (!isSample(each)) assert.ok(shown.includes(withoutMarks(each)), `${path}: ${each}`)
      }
      for (const link of links) {
        const { origin, pathname, protocol } = new URL(link)
        assert.match(protocol, /^(?:https?|mailto):$/, path)
        const isOwn = origin === (parts.baseUrl ?? 'http://127.0.0.1:8080')
        if (isOwn && pathname.endsWith('.md') && !/\/history\/|\/status\//.test(pathname)) {
          assert.ok(twins.has(pathname), `${path}: ${link}`)
        }
      }
      assert.ok(Buffer.byteLength(markdown) < 60_000, path)
    }
    assert.deepEqual(
      app.log.filter(({ level }) => level === 'error'),
      [],
    )
  })
}

test('the end of a page names its version, hash and key, and how to verify them', async (t) => {
  const app = await runApp(t)
  const { data } = (await (await app.fetch('/api/v1/version')).json()) as {
    data: { snapshotId: string; hash: string }
  }
  const keys = (await (await app.fetch('/api/v1/keys/signing-key')).json()) as {
    data: { keys: readonly { keyId: string }[] }
  }
  const keyId = keys.data.keys[0]?.keyId ?? ''
  for (const locale of LOCALES) {
    const end = (await app.text(`/${locale}/roadmap.md`)).split('\n## ').at(-1) ?? ''
    for (const fact of [data.snapshotId, data.hash, keyId]) assert.ok(end.includes(`\`${fact}\``))
    assert.ok(end.includes(`(http://127.0.0.1:8080/${locale}/verify.md#curl)`), end)
    assert.doesNotMatch(end, /npx|svc /)
    assert.ok(end.includes(`(http://127.0.0.1:8080/${locale}/roadmap)`), end)
  }
  const unsigned = await runApp(t, { signing: undefined })
  assert.doesNotMatch(await unsigned.text('/en/roadmap.md'), /#curl/)
})

describe('published text', () => {
  const HOSTILE =
    '</p><script>alert(1)</script> [x](javascript:alert(2)) ![y](//evil.test) `|` | # *'

  /** Replaces every text for people. */
  function withHostileTexts(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withHostileTexts)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) =>
        typeof each === 'string' && /^(?:title|summary|text|name|note|description)$/.test(key)
          ? [key, HOSTILE]
          : [key, withHostileTexts(each)],
      ),
    )
  }

  test('that looks like Markdown or HTML stays text', async (t) => {
    const content = Object.fromEntries(
      SNAPSHOT_NAMES.map((name) => [name, withHostileTexts(createExample(SNAPSHOT_SCHEMAS[name]))]),
    ) as MadeContent
    const app = await runApp(t, { releases: releasesOf(content, { note: HOSTILE }) })
    let count = 0
    for (const path of [...PATHS, '/en/history/VS-0001']) {
      const { links, rawHtml, text } = readMarkdown(await app.text(markdownPath(path)))
      assert.deepEqual(rawHtml, [], path)
      for (const link of links) assert.doesNotMatch(link, /evil|script/, path)
      count += text.split(withoutSpaces(HOSTILE)).length - 1
    }
    assert.ok(count > 100, `${count} texts`)
  })
})

describe('content negotiation', () => {
  test('a page has both forms, which caches keep apart', async () => {
    const app = await runOnce()
    const etags = new Set<string | undefined>()
    for (const coding of ['identity', 'gzip', 'br'] as const) {
      for (const accept of ['text/html', 'text/markdown']) {
        const ask = (method: string, ...more: readonly string[]) =>
          sendRaw(
            app.port,
            rawRequest(method, '/en/status', [
              'Host: localhost',
              `Accept: ${accept}`,
              `Accept-Encoding: ${coding}`,
              ...more,
            ]),
          )
        const whole = await ask('GET')
        const etag = whole.headers.get('etag')
        etags.add(etag)
        assert.equal(whole.headers.get('content-type'), `${accept}; charset=utf-8`)
        const head = await ask('HEAD')
        assert.deepEqual([head.body, head.headers.get('etag')], ['', etag])
        const again = await ask('GET', `If-None-Match: ${etag}`)
        assert.equal(again.status, 304)
        for (const each of [whole, head, again]) {
          assert.equal(each.headers.get('vary'), 'Accept-Encoding, Accept')
          const location = accept === 'text/markdown' ? '/en/status.md' : undefined
          assert.equal(each.headers.get('content-location'), location)
        }
        const decode = {
          identity: (bytes: Buffer) => bytes,
          gzip: gunzipSync,
          br: brotliDecompressSync,
        }
        const text = decode[coding](Buffer.from(whole.body, 'latin1')).toString()
        assert.match(text, accept === 'text/html' ? /^<!DOCTYPE html>/ : /^# Status\n/)
      }
    }
    assert.equal(etags.size, 6)
  })

  test('the path that ends in .md is Markdown whatever is accepted, and equal to the page', async () => {
    const app = await runOnce()
    for (const path of PATHS) {
      const twin = await app.fetch(markdownPath(path), { headers: { Accept: 'text/html' } })
      assert.equal(twin.headers.get('content-type'), 'text/markdown; charset=utf-8', path)
      const page = await app.fetch(path, { headers: MARKDOWN })
      assert.equal(await twin.text(), await page.text(), path)
      const canonical = `<http://127.0.0.1:8080${path}>; rel="canonical"`
      assert.equal(twin.headers.get('link'), canonical)
    }
  })

  test('pages name their Markdown', async () => {
    const app = await runOnce()
    for (const path of PATHS.filter((each) => each.startsWith('/th'))) {
      const response = await app.fetch(path)
      const expected = `<${markdownPath(path)}>; rel="alternate"; type="text/markdown"`
      assert.ok(response.headers.get('link')?.includes(expected), path)
      const [link] = parsePage(await response.text()).all('link[type="text/markdown"]')
      assert.equal(link && attributeOf(link, 'href'), markdownPath(path))
    }
  })

  test('an unknown page is a 404 in both forms', async () => {
    const app = await runOnce()
    for (const [headers, type] of [
      [MARKDOWN, 'text/markdown; charset=utf-8'],
      [{}, 'text/html; charset=utf-8'],
    ] as const) {
      for (const path of ['/en/nothing', '/en/nothing.md', '/en.md', '/en/history/VS-9999.md']) {
        const response = await app.fetch(path, { headers })
        // Below an address of Markdown, whatever is asked for.
        const expected = path.endsWith('.md') ? 'text/markdown; charset=utf-8' : type
        assert.deepEqual(
          [response.status, response.headers.get('content-type')],
          [404, expected],
          path,
        )
        assert.equal(response.headers.get('link'), null)
        if (expected !== 'text/html; charset=utf-8') assert.match(await response.text(), /^# /)
      }
    }
    const post = await app.fetch('/en/status.md', { method: 'POST' })
    assert.equal(post.status, 405)
  })
})

test('llms.txt lists the Markdown of every page', async () => {
  for (const [, parts] of VARIANTS) {
    const app = await runOnce(parts)
    const response = await app.fetch('/llms.txt')
    assert.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8')
    const markdown = await response.text()
    assert.match(markdown, /^# .+\n\n> .+\n/)
    const { links, rawHtml } = readMarkdown(markdown)
    assert.deepEqual(rawHtml, [])
    const paths = links.map((link) => new URL(link).pathname)
    assert.ok(paths.includes('/en/status.md') && paths.includes('/th/index.md'))
    assert.ok(paths.length > PAGES.length)
    for (const path of paths) assert.equal((await app.fetch(path)).status, 200, path)
  }
})
