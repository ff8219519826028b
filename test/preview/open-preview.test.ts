import assert from 'node:assert/strict'
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { pino } from 'pino'
import { openPreview, type PreviewChange } from '../../src/preview/open-preview.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SUMMARY = /^summary: .*$/m

/** Every file below a folder with its time and content. */
function snapshotOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const file = path.join(folder, name)
      const stats = statSync(file)
      return `${name} ${stats.mtimeMs} ${stats.isFile() ? readFileSync(file, 'latin1') : ''}`
    })
}

/** A preview of a copy of this repository's content. */
async function startPreview(t: TestContext, change: (contentDir: string) => void = () => {}) {
  const folder = temporaryFolder(t)
  const contentDir = path.join(folder, 'content')
  const releasesDir = path.join(folder, 'releases')
  cpSync('content', contentDir, { recursive: true })
  cpSync('releases', releasesDir, { recursive: true })
  change(contentDir)
  const changes: PreviewChange[] = []
  let wake = () => {}
  const preview = await openPreview({
    contentDir,
    published: openReleaseStore(releasesDir),
    port: 0,
    log: pino({ enabled: false }),
    onChange(each) {
      changes.push(each)
      wake()
    },
  })
  t.after(() => preview.close())
  const status = path.join(contentDir, 'status.yaml')
  return {
    ...preview,
    folder,
    /** The change after so many. */
    async changeAfter(count: number): Promise<PreviewChange> {
      while (changes.length <= count) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const found = changes[count]
      assert.ok(found)
      return found
    },
    setSummary(text: string): void {
      const before = readFileSync(status, 'utf8')
      assert.match(before, SUMMARY)
      writeFileSync(
        status,
        before.replace(SUMMARY, () => `summary: ${text}`),
      )
    },
    async read(target: string, headers: { readonly [name: string]: string } = {}) {
      const response = await fetch(preview.origin + target, { headers })
      return { response, text: await response.text() }
    },
  }
}

test('serves the content as a draft, and an open page learns of a change', async (t) => {
  const preview = await startPreview(t)
  await preview.changeAfter(0)
  const { text, response } = await preview.read('/en/status', { 'Accept-Encoding': 'gzip' })
  assert.equal(response.headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.equal(response.headers.get('cache-control'), 'no-store')
  assert.match(text, /<div class="draft-ribbon"/)
  const markdown = await preview.read('/en/status', { Accept: 'text/markdown' })
  assert.equal(markdown.response.headers.get('cache-control'), 'no-store')
  assert.match(markdown.text, /^> Draft: .+\n\n# /)
  const [, shown = ''] = /reload\.js\?revision=(\d+)/.exec(text) ?? []
  assert.equal((await preview.read('/preview/revision')).text, shown)
  preview.setSummary('These words are not published yet.')
  await preview.changeAfter(1)
  assert.notEqual((await preview.read('/preview/revision')).text, shown)
  assert.match((await preview.read('/en/status')).text, /These words are not published yet\./)
  const api = await preview.read('/api/v1/status')
  assert.match(api.text, /These words are not published yet\./)
  assert.equal(api.response.headers.get('x-robots-tag'), 'noindex, nofollow')
  assert.ok(api.response.headers.get('x-svc-signature') !== null)
})

test('shows mistakes with their places above the last content without mistakes', async (t) => {
  const preview = await startPreview(t)
  await preview.changeAfter(0)
  preview.setSummary('<b>5</b>: wrong')
  const { mistakes } = await preview.changeAfter(1)
  assert.equal(mistakes.length, 1)
  const { text, response } = await preview.read('/en/status')
  assert.equal(response.status, 200)
  assert.match(text, /Below is the last content without mistakes\./)
  assert.match(text, /<code>[^<]*status\.yaml:4:\d+: /)
  assert.doesNotMatch(text, /<b>5<\/b>/)
  assert.match(text, /<main/)
  preview.setSummary('Right again.')
  await preview.changeAfter(2)
  assert.match((await preview.read('/en/status')).text, /Right again\./)
})

test('shows the mistakes alone if there never was content without them', async (t) => {
  const preview = await startPreview(t, (contentDir) => {
    writeFileSync(path.join(contentDir, 'roadmap.yaml'), 'items: 5\n')
  })
  await preview.changeAfter(0)
  const { text, response } = await preview.read('/en')
  assert.equal(response.status, 503)
  assert.match(text, /<code>[^<]*roadmap\.yaml:1:\d+: /)
})

test('writes nothing, has no store, and signs with no key of the service', async (t) => {
  const preview = await startPreview(t)
  await preview.changeAfter(0)
  const before = snapshotOf(preview.folder)
  await Promise.all(['/en', '/api/v1/versions', '/th/roadmap'].map((each) => preview.read(each)))
  const keys = await preview.read('/api/v1/keys/signing-key')
  const other = await startPreview(t)
  await other.changeAfter(0)
  const otherKeys = await other.read('/api/v1/keys/signing-key')
  const idOf = (text: string) => (JSON.parse(text) as { data: { keyId: string } }).data.keyId
  assert.notEqual(idOf(keys.text), idOf(otherKeys.text))
  const withKey = await preview.read('/api/v1/status', {
    Authorization: `Bearer svk_${'0'.repeat(16)}_${'a'.repeat(43)}`,
  })
  assert.equal(withKey.response.status, 503)
  assert.deepEqual(snapshotOf(preview.folder), before)
})

test('is private: every response is for this machine and its own pages', async (t) => {
  const preview = await startPreview(t)
  await preview.changeAfter(0)
  const { host, port } = new URL(preview.origin)
  const send = (target: string, headers: { readonly [name: string]: string }, method = 'GET') => {
    const lines = Object.entries({ Host: host, ...headers }).map((each) => each.join(': '))
    return sendRaw(Number(port), rawRequest(method, target, lines))
  }
  const targets = [
    '/en/status',
    '/robots.txt',
    '/en/status.atom',
    '/assets/icon.svg',
    '/archive/versions/VS-0001.json',
    '/preview/ribbon.css',
    '/api/v1/status',
    '/api/v1/nowhere',
    '/nowhere',
  ]
  const foreign = [
    { Host: 'draft.example.org' },
    { Origin: 'https://example.org' },
    { Origin: `http://127.0.0.1:${Number(port) + 1}` },
    { Origin: 'null' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
  ]
  const own = [
    { Host: `localhost:${port}`, Origin: `http://localhost:${port}` },
    { Origin: preview.origin, 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ]
  for (const headers of foreign) {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const { status } = await send('/api/v1/status', headers, method)
      assert.ok(status === 403 || status === 421, JSON.stringify(headers))
    }
  }
  for (const headers of own) assert.equal((await send('/api/v1/status', headers)).status, 200)
  for (const target of targets) {
    for (const headers of [{}, ...foreign, ...own]) {
      const { headers: sent, headerNames } = await send(target, headers)
      assert.equal(sent.get('cache-control'), 'no-store', target)
      assert.equal(sent.get('cross-origin-resource-policy'), 'same-origin', target)
      assert.ok(!headerNames.some((name) => /^access-control|^cdn-/i.test(name)), target)
    }
  }
})
