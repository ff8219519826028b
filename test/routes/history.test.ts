import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import { loadReleases } from '../../src/service/releases.ts'
import { makeReleases } from '../support/made-releases.ts'
import { runApp } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

interface Entry {
  readonly snapshotId: string
  readonly sequence: number
  readonly createdAt: string
  readonly resources: { readonly [name: string]: string }
  readonly previousHash: string
  readonly hash: string
}

interface History {
  readonly algorithm: string
  readonly count: number
  readonly head: { readonly snapshotId: string; readonly hash: string }
  readonly entries: readonly Pick<
    Entry,
    'snapshotId' | 'sequence' | 'createdAt' | 'previousHash' | 'hash'
  >[]
}

const SNAPSHOT = { schema: 'VersionSnapshot', cacheClass: 'static-snapshot' } as const

test('a reader who has nothing but the answers can check the whole chain', async (t) => {
  const app = await runApp(t, { releases: loadReleases(makeReleases(5).store) })
  const history = (await assertRead(app, '/api/v1/versions', {
    schema: 'VersionHistory',
    cacheClass: 'static-snapshot',
  })) as unknown as History
  assert.equal(history.count, 5)
  assert.deepEqual(
    history.entries.map(({ sequence }) => sequence),
    [5, 4, 3, 2, 1],
  )
  const [newest] = history.entries
  assert.deepEqual(history.head, { snapshotId: newest?.snapshotId, hash: newest?.hash })

  let previousHash = '0'.repeat(64)
  for (const summary of history.entries.toReversed()) {
    const path = `/api/v1/versions/${summary.snapshotId}`
    const entry = (await assertRead(app, path, SNAPSHOT)) as unknown as Entry
    const { hash, ...hashed } = entry
    const expected = createHash('sha256')
      .update(`svc-version-v1\n${canonicalize(hashed)}`)
      .digest('hex')
    assert.equal(hash, expected, path)
    assert.equal(entry.previousHash, previousHash, path)
    const { snapshotId, sequence, createdAt } = entry
    assert.deepEqual(
      { snapshotId, sequence, createdAt, previousHash: entry.previousHash, hash },
      { ...summary },
    )
    previousHash = hash
  }
})

test('the newest version names every resource by the ETag that its endpoint sends', async (t) => {
  const app = await runApp(t)
  const head = (await assertRead(app, '/api/v1/version', SNAPSHOT)) as unknown as Entry
  assert.equal(head.snapshotId, 'VS-0002')
  assert.deepEqual(await assertRead(app, '/api/v1/versions/VS-0002', SNAPSHOT), { ...head })
  assert.equal(Object.keys(head.resources).length, 12)
  for (const [name, digest] of Object.entries(head.resources)) {
    const response = await app.fetch(`/api/v1/${name}`)
    assert.equal(response.headers.get('etag'), `W/"${digest}"`, name)
  }
})

test('an id that no version has, and what is no id at all: 404 VERSION_NOT_FOUND', async (t) => {
  const app = await runApp(t)
  for (const id of [
    'VS-0003',
    'VS-0000',
    'VS-1',
    'VS-00001',
    'vs-0001',
    'VS-0001/',
    'VS-0001/x',
    'VS-%30001',
    'VS-0001%00',
    '%',
    'constructor',
    '__proto__',
  ]) {
    const response = await app.fetch(`/api/v1/versions/${id}`)
    const { error } = (await response.json()) as { readonly error: { readonly code: string } }
    assert.deepEqual([response.status, error.code], [404, 'VERSION_NOT_FOUND'], id)
  }
})
