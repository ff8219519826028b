import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { makeReleases } from '../support/made-releases.ts'
import { sendRaw, rawRequest } from '../support/raw-http.ts'
import { runApp } from '../support/running-app.ts'

const REDACTION = { reason: 'A name by mistake', redactedAt: '2026-11-22T10:00:00.000Z' }

interface Entry {
  readonly resources: { readonly [name: string]: string }
}

const base64url = (text: string) => createHash('sha256').update(text).digest('base64url')

async function openArchive(t: TestContext) {
  const made = makeReleases(3)
  const entry = (id: string) => JSON.parse(made.versions.get(id) ?? '') as Entry
  const redacted = entry('VS-0001').resources['status'] ?? ''
  const app = await runApp(t, {
    releases: loadReleases({
      ...made.store,
      readResourceText(name, digest) {
        if (name === 'status' && digest === redacted) throw new Error('redacted')
        return made.store.readResourceText(name, digest)
      },
      readRedaction: (name, digest) =>
        name === 'status' && digest === redacted ? REDACTION : undefined,
      listRedactions: () => [{ resource: 'status', digest: redacted, ...REDACTION }],
    }),
  })
  return { app, made, entry, redacted }
}

test('the archive is a copy of the releases folder, and every name is the digest of its bytes', async (t) => {
  const { app, made, entry, redacted } = await openArchive(t)
  const index = await app.fetch('/archive/versions.json')
  assert.equal(index.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  const { versions, redactions } = (await index.json()) as {
    readonly versions: readonly string[]
    readonly redactions: readonly object[]
  }
  assert.deepEqual(versions, [...made.versions.keys()])
  assert.deepEqual(redactions, [{ resource: 'status', digest: redacted, ...REDACTION }])
  const copied = new Map<string, string>()
  for (const id of versions) {
    const response = await app.fetch(`/archive/versions/${id}.json`)
    const text = await response.text()
    assert.equal(text, made.versions.get(id))
    assert.equal(response.headers.get('etag'), `"${base64url(text)}"`)
    for (const [name, digest] of Object.entries(entry(id).resources)) {
      const file = await app.fetch(`/archive/resources/${name}/${digest}.json`)
      if (digest === redacted) continue
      const bytes = await file.text()
      assert.equal(base64url(bytes), digest, name)
      copied.set(`${name} ${digest}`, bytes)
    }
  }
  const published = new Map(made.resources)
  published.delete(`status ${redacted}`)
  assert.deepEqual(copied, published)
})

test('a file has a strong ETag, immutable caching and CORS, and is unsigned', async (t) => {
  const { app, entry } = await openArchive(t)
  const path = `/archive/resources/wallet/security/${entry('VS-0002').resources['wallet/security']}.json`
  const response = await app.fetch(path)
  const { headers } = response
  assert.equal(response.status, 200)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(headers.get('access-control-allow-origin'), '*')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('x-svc-signature'), null)
  const etag = headers.get('etag') ?? ''
  assert.match(etag, /^"[\w-]{43}"$/)
  const head = await app.fetch(path, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), headers.get('content-length'))
  assert.equal(await head.text(), '')
  const unchanged = await app.fetch(path, { headers: { 'If-None-Match': etag } })
  assert.equal(unchanged.status, 304)
  assert.equal(unchanged.headers.get('content-length'), null)
  assert.equal((await app.fetch(path, { method: 'OPTIONS' })).status, 204)
  const written = await app.fetch(path, { method: 'POST', body: 'x' })
  assert.deepEqual([written.status, written.headers.get('allow')], [405, 'GET, HEAD, OPTIONS'])
})

test('a redacted resource is 410 with its reason and time', async (t) => {
  const { app, redacted } = await openArchive(t)
  const path = `/archive/resources/status/${redacted}.json`
  const response = await app.fetch(path)
  assert.equal(response.status, 410)
  assert.equal(response.headers.get('cache-control'), 'public, max-age=0, must-revalidate')
  assert.equal(await response.text(), canonicalJson(REDACTION))
})

test('what the newest version serves from memory stays in the archive when its file is damaged', async (t) => {
  const { app, made, entry } = await openArchive(t)
  const [newest, older] = ['VS-0003', 'VS-0002'].map((id) => {
    const digest = entry(id).resources['status'] ?? ''
    made.resources.set(`status ${digest}`, 'damaged')
    return `/archive/resources/status/${digest}.json`
  })
  const response = await app.fetch(newest ?? '')
  assert.equal(response.status, 200)
  const digest = entry('VS-0003').resources['status']
  assert.equal(base64url(await response.text()), digest)
  assert.equal((await app.fetch(older ?? '')).status, 404)
})

test('serves only what the chain names, whatever else the folder holds', async (t) => {
  const { app, made, entry } = await openArchive(t)
  const unpublished = canonicalJson({ draft: true })
  made.resources.set(`status ${base64url(unpublished)}`, unpublished)
  const status = entry('VS-0002').resources['status']
  for (const path of [
    `/archive/resources/status/${base64url(unpublished)}.json`,
    `/archive/resources/roadmap/${status}.json`,
    `/archive/resources/status/${status}`,
    `/archive/resources/status/${status}.redacted.json`,
    `/archive/resources//status/${status}.json`,
    `/archive/resources/../resources/status/${status}.json`,
    `/archive/resources/%73tatus/${status}.json`,
    `/archive/resources/status%2F..%2Fstatus/${status}.json`,
    '/archive/resources/status/../../versions/VS-0001.json',
    '/archive/versions/VS-0004.json',
    '/archive/versions/VS-00001.json',
    '/archive/versions/VS-9007199254740993.json',
    '/archive/versions/../versions.json',
    '/archive/versions',
    '/archive/',
    '/archive',
  ]) {
    const { status: code, headers } = await sendRaw(app.port, rawRequest('GET', path))
    assert.equal(code, 404, path)
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
  }
  assert.deepEqual(app.log, [])
})
