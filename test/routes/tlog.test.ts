import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { createArchiveClient } from '@public-api/client-internal/log/archive-client'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyProof } from '@public-api/client-internal/log/log-proof'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { readUpdate } from '../../src/service/releases/read-releases.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'
import { svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

const FIVE = [
  'checkpoint',
  'policy',
  'proof/VS-0002.tlog-proof',
  'tile/0/000.p/3',
  'tile/entries/000.p/2',
]

test('without a log every path below /log is the 404 of the pages', async (t) => {
  const app = await runApp(t)
  for (const name of FIVE) {
    const response = await app.fetch(`/log/${name}`)
    assert.equal(response.status, 404)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
  }
})

test('a client reads the whole log from the service with nothing but a policy', async (t) => {
  const { releases, vkey } = await folderWithLog(t, 5)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const policy = await openPolicy(`log ${vkey}\nquorum none\n`)
  const archive = createArchiveClient({ base: app.origin, policy })
  const { versions, checkpoint } = await archive.history()
  assert.deepEqual([checkpoint.size, versions.length], [5, 5])
  const version = await archive.version('VS-0004')
  assert.deepEqual(version, versions[3])
  const { bytes } = await archive.resource(version, 'status')
  const digest = createHash('sha256')
    .update(bytes ?? '')
    .digest('base64url')
  assert.equal(digest, version.resources['status'])

  const served = await (await app.fetch('/log/proof/VS-0004.tlog-proof')).text()
  assert.equal(served, await archive.proof('VS-0004'))
  const proved = await verifyProof({ proof: served, policy, nowMs: Date.now() })
  assert.equal(proved.version.hash, version.hash)
})

test('each file has its type, its caching and a strong tag', async (t) => {
  const { releases } = await folderWithLog(t)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  for (const name of FIVE) {
    const response = await app.fetch(`/log/${name}`)
    assert.equal(response.status, 200, name)
    const isTile = name.startsWith('tile/')
    assert.equal(
      response.headers.get('content-type'),
      isTile ? 'application/octet-stream' : 'text/plain; charset=utf-8',
    )
    assert.equal(
      response.headers.get('cache-control'),
      isTile ? 'public, max-age=31536000, immutable' : 'public, max-age=0, must-revalidate',
    )
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(response.headers.get('x-svc-signature'), null)
    const bytes = Buffer.from(await response.arrayBuffer())
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    assert.equal(response.headers.get('etag'), etag)
    const head = await app.fetch(`/log/${name}`, { method: 'HEAD' })
    assert.equal(head.headers.get('content-length'), String(bytes.length))
    const known = await app.fetch(`/log/${name}`, { headers: { 'If-None-Match': etag } })
    assert.equal(known.status, 304)
  }
  assert.equal((await app.fetch('/log/checkpoint', { method: 'OPTIONS' })).status, 204)
  const post = await app.fetch('/log/checkpoint', { method: 'POST' })
  assert.equal(post.status, 405)
  assert.equal(post.headers.get('allow'), 'GET, HEAD, OPTIONS')
})

test('nothing beyond the published checkpoint is served', async (t) => {
  const { folder, releases, vkey } = await folderWithLog(t)
  writeFileSync(
    path.join(releases, 'log', 'policy'),
    `log ${vkey}\nwitness w witness.example/w1+47c0395a+BP9LLyXomKH4c1ao6AnKRRozEA1p3Uu86JyuFLrlmPPU\nquorum w\n`,
  )
  await rollBackTo(folder, 'VS-0001', 'Back')
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const statusOf = async (name: string) => (await app.fetch(`/log/${name}`)).status
  assert.equal(await statusOf('tile/0/000.p/3'), 200)
  const missing = [
    'tile/0/000.p/4',
    'tile/entries/000.p/4',
    'tile/0/000',
    'tile/1/000',
    'tile/0/001.p/1',
    'proof/VS-0004.tlog-proof',
    'proof/VS-0000.tlog-proof',
    'proof/VS-00001.tlog-proof',
    'pending',
    'origin',
    'witnesses.json',
    '',
  ]
  for (const name of missing) {
    const response = await app.fetch(`/log/${name}`)
    assert.equal(response.status, 404, name)
    assert.equal(response.headers.get('cache-control'), 'no-store', name)
  }
  assert.match(readFileSync(path.join(releases, 'log', 'pending'), 'utf8'), /\n4\n/)
})

test('each partial tile stays when the full one exists, and higher levels have only full ones', async (t) => {
  const { releases } = await folderWithLog(t, 300)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  const bytesOf = async (name: string) => {
    const response = await app.fetch(`/log/tile/${name}`)
    return response.status === 200 ? (await response.arrayBuffer()).byteLength : response.status
  }
  for (const [name, expected] of [
    ['0/000', 8192],
    ['0/000.p/255', 255 * 32],
    ['0/000.p/1', 32],
    ['0/001.p/44', 44 * 32],
    ['1/000.p/1', 32],
    ['0/001.p/45', 404],
    ['1/000.p/2', 404],
    ['1/000', 404],
    ['2/000.p/1', 404],
  ] as const) {
    assert.equal(await bytesOf(name), expected, name)
  }
  assert.equal(typeof (await bytesOf('entries/000.p/255')), 'number')
  assert.equal(await bytesOf('entries/001.p/45'), 404)
})

test('the signed key document states origin, address and keys of the log', async (t) => {
  const { folder, releases, vkey } = await folderWithLog(t)
  const logOf = async () => {
    const app = await runApp(t, {
      releases: loadReleases(openReleaseStore(releases)),
      baseUrl: 'https://api.example.org',
    })
    const body = (await (await app.fetch('/api/v1/keys/signing-key')).json()) as {
      readonly data: { readonly log?: object }
    }
    return body.data.log
  }
  const log = { origin: 'api.example.org/log', url: 'https://api.example.org/log' }
  assert.deepEqual(await logOf(), { ...log, keys: [{ vkey, status: 'current' }] })
  const { out } = await svcIn(folder, ['tlog', 'new-key', '--json'])
  const { current } = JSON.parse(out) as { readonly current: string }
  const keys = [
    { vkey: current, status: 'current' },
    { vkey, status: 'retiring' },
  ]
  assert.deepEqual(await logOf(), { ...log, keys })
  rmSync(path.join(releases, 'log'), { recursive: true })
  assert.equal(await logOf(), undefined)
})

test('a running service takes up a new checkpoint', async (t) => {
  const { folder, releases } = await folderWithLog(t)
  const store = openReleaseStore(releases)
  const loaded = loadReleases(store)
  assert.equal(readUpdate(store, loaded.served), undefined)
  await rollBackTo(folder, 'VS-0001', 'Back')
  const update = readUpdate(store, loaded.served)
  assert.ok(update !== undefined)
  const app = await runApp(t, { releases: loaded.extend(update) })
  assert.match(await (await app.fetch('/log/checkpoint')).text(), /^api\.example\.org\/log\n4\n/)
})

test('a checkpoint that does not fit the versions is not served; the policy is', async (t) => {
  const { releases } = await folderWithLog(t)
  const file = path.join(releases, 'log', 'checkpoint')
  writeFileSync(file, readFileSync(file, 'utf8').replace('\n3\n', '\n2\n'))
  const releasesOf = loadReleases(openReleaseStore(releases))
  const app = await runApp(t, { releases: releasesOf })
  assert.equal((await app.fetch('/log/checkpoint')).status, 503)
  assert.equal((await app.fetch('/log/policy')).status, 200)
  assert.match(releasesOf.tlog?.fault() ?? '', /another root than the 2 published versions/)
})
