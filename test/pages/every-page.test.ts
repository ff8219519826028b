import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { LOCALES } from '@public-api/contract/terms/locales'
import { pathOfPage } from '../../src/pages/addresses.ts'
import { PAGES } from '../../src/pages/serving/page-table.ts'
import { securityHeaders } from '../../src/pages/serving/security-headers.ts'
import { createAltchaChallenge } from '../../src/service/challenge/altcha-challenge.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import { setClock } from '../storage/counters/counters-behavior.ts'
import { attributeOf, parsePage } from '../support/page-markup.ts'
import { rawRequest, sendRaw, type RawResponse } from '../support/raw-http.ts'
import { runApp, type RunningApp } from '../support/running-app.ts'
import { SITE_VARIANTS } from '../support/site-variants.ts'
import { useFileScope } from '../support/test-scope.ts'

const MAX_HTML_BYTES = 60_000
const MAX_SCRIPT_BYTES_GZIPPED = 20_000
/** The ALTCHA widget and what belongs to it stand outside the budget of the scripts. */
const WIDGET = /^\/assets\/altcha/

const PATHS = LOCALES.flatMap((locale) => PAGES.map(({ path }) => pathOfPage(locale, path)))

const CODINGS = ['identity', 'gzip', 'br'] as const
type Coding = (typeof CODINGS)[number]

const DECODE: { readonly [C in Coding]: (bytes: Buffer) => Buffer } = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  br: brotliDecompressSync,
}

/** Sends a request on a new connection and returns the response as it was sent, without decoding. */
function ask(
  app: RunningApp,
  path: string,
  { method = 'GET', headers = [] }: { method?: string; headers?: readonly string[] } = {},
): Promise<RawResponse> {
  return sendRaw(app.port, rawRequest(method, path, ['Host: localhost', ...headers]))
}

const bytesOf = ({ body }: RawResponse): Buffer => Buffer.from(body, 'latin1')

function header(response: RawResponse, name: string): string | undefined {
  return response.headers.get(name.toLowerCase())
}

/** The 404 page, and pages whose path names a version. */
const UNLISTED = [
  'serving/generated-page.ts',
  'not-found-page.ts',
  'history/version-page.ts',
  'history/since-page.ts',
  'snapshots/event-page.ts',
  'snapshots/month-page.ts',
]

test('every page module is in the page table', () => {
  const folder = `${import.meta.dirname}/../../src/pages`
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('-page.ts'),
  )
  const table = readFileSync(`${folder}/serving/page-table.ts`, 'utf8')
  const missing = files.filter(
    (file) => !UNLISTED.includes(file) && !table.includes(`'../${file}'`),
  )
  assert.deepEqual(missing, [])
  assert.equal(
    files.length - UNLISTED.length,
    PAGES.filter(({ parent }) => parent === undefined).length,
  )
  assert.equal(new Set(PAGES.map(({ path }) => path)).size, PAGES.length)
})

const scope = useFileScope()
let plain: Promise<RunningApp> | undefined

/** An app without options that the tests of this file share, so that each page is rendered once. */
const runPlainOnce = () => (plain ??= runApp(scope))

for (const [name, parts] of SITE_VARIANTS) {
  let running: Promise<RunningApp> | undefined
  const runOnce = () => (running ??= runApp(scope, parts))

  test(`${name}: every page is served and within its size limit`, async () => {
    const app = await runOnce()
    for (const path of PATHS) {
      const response = await ask(app, path)
      assert.equal(response.status, 200, path)
      assert.equal(header(response, 'Content-Type'), 'text/html; charset=utf-8', path)
      const { length } = bytesOf(response)
      assert.equal(header(response, 'Content-Length'), String(length), path)
      assert.ok(length < MAX_HTML_BYTES, `${path} has ${length} bytes`)
    }
    assert.deepEqual(
      app.log.filter(({ level }) => level === 'error' || level === 'warn'),
      [],
    )
  })

  test(`${name}: page scripts are within their size limit`, async () => {
    const app = await runOnce()
    const sizes = new Map<string, number>()
    const gzippedSize = async (script: string): Promise<number> => {
      const response = await ask(app, script)
      assert.equal(response.status, 200, script)
      return gzipSync(bytesOf(response), { level: 9 }).length
    }
    for (const path of PATHS) {
      const markup = parsePage(await (await app.fetch(path)).text())
      const scripts = markup
        .all('script[src], link[rel="modulepreload"]')
        .map((each) => attributeOf(each, 'src') ?? attributeOf(each, 'href') ?? '')
        .filter((address) => !WIDGET.test(address))
      assert.ok(scripts.length > 0, path)
      let sum = 0
      for (const script of scripts) {
        const size = sizes.get(script) ?? (await gzippedSize(script))
        sizes.set(script, size)
        sum += size
      }
      assert.ok(sum < MAX_SCRIPT_BYTES_GZIPPED, `${path}: ${sum} bytes of scripts`)
    }
  })
}

describe('content codings', () => {
  test('decode to the same bytes and have their own ETags', async () => {
    const app = await runPlainOnce()
    for (const path of PATHS) {
      const etags = new Set<string>()
      const texts = new Set<string>()
      for (const coding of CODINGS) {
        const response = await ask(app, path, { headers: [`Accept-Encoding: ${coding}`] })
        const expected = coding === 'identity' ? undefined : coding
        assert.equal(header(response, 'Content-Encoding'), expected, path)
        assert.equal(header(response, 'Vary'), 'Accept-Encoding, Accept', path)
        assert.equal(header(response, 'Content-Length'), String(bytesOf(response).length), path)
        const etag = header(response, 'ETag') ?? ''
        assert.match(etag, /^"[^"]+"$/, path)
        etags.add(etag)
        texts.add(DECODE[coding](bytesOf(response)).toString('utf8'))
      }
      assert.equal(etags.size, CODINGS.length, path)
      assert.equal(texts.size, 1, path)
      assert.match([...texts].join(''), /^<!DOCTYPE html>\n<html lang="/, path)
    }
  })

  test('compress pages well', async () => {
    const app = await runPlainOnce()
    for (const path of PATHS) {
      const [identity = 0, gzip = 0, br = 0] = await Promise.all(
        CODINGS.map(
          async (coding) =>
            bytesOf(await ask(app, path, { headers: [`Accept-Encoding: ${coding}`] })).length,
        ),
      )
      assert.ok(gzip < identity / 2, `${path}: ${gzip} of ${identity}`)
      assert.ok(br <= gzip, `${path}: ${br} of ${gzip}`)
    }
  })
})

test('answers If-None-Match with 304 in every coding', async () => {
  const app = await runPlainOnce()
  for (const path of PATHS) {
    for (const coding of CODINGS) {
      const encoding = `Accept-Encoding: ${coding}`
      const response = await ask(app, path, { headers: [encoding] })
      const etag = header(response, 'ETag') ?? ''
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await ask(app, path, { headers: [encoding, `If-None-Match: ${known}`] })
        assert.equal(again.status, 304, `${path} ${known}`)
        assert.equal(again.body, '')
        for (const name of ['ETag', 'Cache-Control', 'Vary', 'Content-Security-Policy']) {
          assert.equal(header(again, name), header(response, name), `${path}: ${name}`)
        }
        assert.equal(header(again, 'Content-Encoding'), undefined)
      }
      const changed = await ask(app, path, { headers: [encoding, 'If-None-Match: "other"'] })
      assert.equal(changed.status, 200)
    }
  }
})

test('HEAD returns the headers of GET without a body', async () => {
  const app = await runPlainOnce()
  for (const path of [...PATHS, pathOfPage('en', 'no-such-page')]) {
    for (const coding of CODINGS) {
      const headers = [`Accept-Encoding: ${coding}`]
      const response = await ask(app, path, { headers })
      const head = await ask(app, path, { method: 'HEAD', headers })
      assert.equal(head.status, response.status, path)
      assert.equal(head.body, '')
      assert.deepEqual(
        [...head.headers].filter(([name]) => name !== 'date'),
        [...response.headers].filter(([name]) => name !== 'date'),
        path,
      )
    }
  }
})

/** The text of a body, which the raw response contains as bytes. */
function bodyText({ body }: RawResponse): string {
  return Buffer.from(body, 'latin1').toString()
}

test('Content-Language matches lang', async () => {
  const app = await runPlainOnce()
  for (const locale of LOCALES) {
    for (const path of [...PAGES.map((page) => page.path), 'no-such-page']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await ask(app, pathOfPage(locale, path), { method })
        assert.equal(header(response, 'Content-Language'), locale, `${method} ${locale} ${path}`)
        if (method === 'HEAD') continue
        const [root] = parsePage(bodyText(response)).all('html')
        assert.equal(root && attributeOf(root, 'lang'), locale, path)
      }
    }
  }
  for (const path of ['/no-such-page', '/']) {
    const response = await ask(app, path)
    // A page below no locale is in English; what has no body has no language.
    const expected = path === '/' ? undefined : 'en'
    assert.equal(header(response, 'Content-Language'), expected, path)
  }
  for (const path of ['/robots.txt', '/sitemap.xml', '/.well-known/api-catalog']) {
    assert.equal(header(await ask(app, path), 'Content-Language'), undefined, path)
  }
})

test('trailing slashes redirect to the page', async () => {
  const app = await runPlainOnce()
  for (const path of PATHS) {
    for (const slashes of ['/', '//']) {
      const response = await ask(app, path + slashes)
      assert.deepEqual([response.status, header(response, 'Location')], [308, path])
    }
    assert.equal((await ask(app, `${path}?from=elsewhere`)).status, 200)
  }
  // Unknown paths do not redirect: a path of slashes must not lead to another host.
  for (const path of ['/en/nothing/', '//', '//example.test/', '/en/%2f%2fexample.test/']) {
    const response = await ask(app, path)
    assert.equal(header(response, 'Location'), undefined, path)
    assert.equal(response.status, 404, path)
  }
})

test('the root redirects by Accept-Language', async () => {
  const app = await runPlainOnce()
  for (const [asked, home] of [
    [undefined, '/en'],
    ['th-TH,th;q=0.9,en;q=0.8', '/th'],
    ['zh-Hans-CN', '/zh-CN'],
    ['fr, zh;q=0.3, en;q=0.2', '/zh-CN'],
    ['fr', '/en'],
    ['\u00ff;;;', '/en'],
  ] as const) {
    const headers = asked === undefined ? [] : [`Accept-Language: ${asked}`]
    const response = await ask(app, '/', { headers })
    assert.deepEqual([response.status, header(response, 'Location')], [302, home])
    assert.equal(header(response, 'Vary'), 'Accept-Language')
    assert.match(header(response, 'Cache-Control') ?? '', /^public, max-age=\d+$/)
  }
})

/** Responses outside the API of every kind: each with its request and the status it has. */
async function everyKind(app: RunningApp) {
  const home = parsePage(await (await app.fetch('/en')).text())
  const address = (selector: string, name: string) => {
    const [element] = home.all(selector)
    return (element && attributeOf(element, name)) ?? ''
  }
  const script = address('script[src]', 'src')
  return [
    ...PATHS.map((path) => ['GET', path, 200] as const),
    ['GET', '/', 302],
    ['GET', '/en/', 308],
    ['GET', '/en/no-such-page', 404],
    ['GET', '/zh-CN/no-such-page', 404],
    ['GET', '/no-such-page', 404],
    ['HEAD', '/no-such-page', 404],
    ['POST', '/no-such-page', 404],
    ['POST', '/', 405],
    ['POST', '/en', 405],
    ['DELETE', '/en/reference', 405],
    ['OPTIONS', '/en/reference', 405],
    ['PUT', '/en/', 405],
    ['GET', '/favicon.ico', 200],
    ['GET', '/robots.txt', 200],
    ['GET', '/sitemap.xml', 200],
    ['GET', '/.well-known/api-catalog', 200],
    ['GET', '/.well-known/security.txt', 200],
    ['GET', '/.well-known/change-password', 404],
    ['GET', script, 200],
    ['GET', address('link[rel="stylesheet"]', 'href'), 200],
    ['GET', address('link[rel="icon"]', 'href'), 200],
    ['POST', script, 405],
    ['GET', `${script}x`, 404],
    ['GET', '/assets/', 404],
    ['GET', '/assets/../package.json', 404],
    ['GET', '/assets/%2e%2e/package.json', 404],
    ['GET', '/challenge', 200],
    ['POST', '/challenge', 405],
  ] as const
}

describe('responses outside the API', () => {
  const clock = setClock()
  const challenge = createAltchaChallenge({
    counters: createMemoryCounters({ clock }),
    clock,
    work: { cost: 1, maxCounter: 2 },
  })
  const parts = { challenge, securityContact: 'mailto:security@example.test' }

  test('set security headers and caching, and no cookie', async (t) => {
    const app = await runApp(t, parts)
    const expected = securityHeaders()
    const policy = expected[1] ?? ''
    assert.doesNotMatch(policy, /unsafe|\*|data:|https?:/)
    for (const [method, path, status] of await everyKind(app)) {
      const what = `${method} ${path}`
      const response = await ask(app, path, { method })
      assert.equal(response.status, status, what)
      assert.equal(header(response, 'Set-Cookie'), undefined, what)
      assert.equal(header(response, 'X-Robots-Tag'), undefined, what)
      assert.equal(header(response, 'X-Content-Type-Options'), 'nosniff', what)
      assert.ok(header(response, 'Cache-Control') !== undefined, what)
      // Read only by scripts of this origin; not a document.
      if (path === challenge.description.path) continue
      for (let index = 0; index < expected.length; index += 2) {
        assert.equal(header(response, expected[index] ?? ''), expected[index + 1], what)
      }
      if (status === 405) assert.equal(header(response, 'Allow'), 'GET, HEAD', what)
    }
  })

  test('of a preview are noindex', async (t) => {
    const app = await runApp(t, { ...parts, deployment: 'preview' })
    for (const [method, path, status] of await everyKind(app)) {
      const response = await ask(app, path, { method })
      assert.equal(header(response, 'X-Robots-Tag'), 'noindex, nofollow', `${method} ${path}`)
      // A hidden deployment has no sitemap.
      const expected = path === '/sitemap.xml' ? 404 : status
      assert.equal(response.status, expected, `${method} ${path}`)
      const etag = header(response, 'ETag')
      if (etag === undefined || expected !== 200) continue
      const again = await ask(app, path, { headers: [`If-None-Match: ${etag}`] })
      assert.equal(again.status, 304, path)
      assert.equal(header(again, 'X-Robots-Tag'), 'noindex, nofollow', `304 ${path}`)
    }
  })
})

test('pages are cached for a minute, assets forever', async () => {
  const app = await runPlainOnce()
  for (const path of PATHS) {
    const response = await ask(app, path)
    const caching = header(response, 'Cache-Control') ?? ''
    assert.match(caching, /^public, max-age=60\b/, path)
    const markup = parsePage(bodyText(response))
    for (const [selector, name] of [
      ['script[src]', 'src'],
      ['link[rel="stylesheet"], link[rel="icon"]', 'href'],
    ] as const) {
      for (const element of markup.all(selector)) {
        const asset = await ask(app, attributeOf(element, name) ?? '')
        const policy = header(asset, 'Cache-Control')
        assert.equal(policy, 'public, max-age=31536000, immutable', path)
      }
    }
  }
})

test('pages never echo the request', async () => {
  const app = await runPlainOnce()
  const mark = 'canary-<b>'
  for (const path of ['/en', '/en/no-such-page']) {
    const clean = await ask(app, path)
    const response = await ask(app, `${path}?q=${mark}`, {
      headers: [
        `Referer: https://example.test/${mark}`,
        `User-Agent: ${mark}`,
        `Cookie: a=${mark}`,
      ],
    })
    assert.equal(response.body, clean.body)
  }
  const missing = await ask(app, `/en/${mark}`)
  assert.equal(missing.status, 404)
  assert.ok(!missing.body.includes('canary'))
})
