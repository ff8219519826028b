import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import canonicalize from 'canonicalize'
import { madeHistory } from '../support/made-releases.ts'
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

test('the responses are enough to verify the whole chain', async (t) => {
  const app = await runApp(t, { releases: madeHistory(5) })
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

test('the newest version lists each resource with its ETag', async (t) => {
  const app = await runApp(t)
  const head = (await assertRead(app, '/api/v1/version', SNAPSHOT)) as unknown as Entry
  assert.equal(head.snapshotId, 'VS-0002')
  assert.deepEqual(await assertRead(app, '/api/v1/versions/VS-0002', SNAPSHOT), { ...head })
  assert.deepEqual(Object.keys(head.resources).toSorted(), SNAPSHOT_NAMES.toSorted())
  for (const [name, digest] of Object.entries(head.resources)) {
    const response = await app.fetch(`/api/v1/${name}`)
    assert.equal(response.headers.get('etag'), `W/"${digest}"`, name)
  }
})

const PAGE = { schema: 'VersionHistory', cacheClass: 'static-snapshot' } as const
const sequencesOf = ({ entries }: History) => entries.map(({ sequence }) => sequence)

test('the history can be walked page by page along its Link headers', async (t) => {
  const app = await runApp(t, { releases: madeHistory(5) })
  const whole = (await assertRead(app, '/api/v1/versions', PAGE)) as unknown as History
  const walked: unknown[] = []
  for (const [target, next, sequences] of [
    ['?limit=2', '?limit=2&before=VS-0004', [5, 4]],
    ['?limit=2&before=VS-0004', '?limit=2&before=VS-0002', [3, 2]],
    ['?limit=2&before=VS-0002', undefined, [1]],
  ] as const) {
    const link = next === undefined ? {} : { link: `</api/v1/versions${next}>; rel="next"` }
    const page = (await assertRead(app, `/api/v1/versions${target}`, {
      ...PAGE,
      ...link,
    })) as unknown as History
    assert.deepEqual(sequencesOf(page), sequences)
    assert.deepEqual({ ...page, entries: [] }, { ...whole, entries: [] })
    walked.push(...page.entries)
  }
  assert.deepEqual(walked, whole.entries)
})

test('the last page has no next page', async (t) => {
  const app = await runApp(t, { releases: madeHistory(5) })
  for (const [query, sequences] of [
    ['limit=5', [5, 4, 3, 2, 1]],
    ['limit=1000', [5, 4, 3, 2, 1]],
    ['before=VS-0003', [2, 1]],
    ['limit=2&before=VS-0003', [2, 1]],
    ['limit=1&before=VS-0002', [1]],
    ['before=VS-0001', []],
    ['limit=3&before=VS-0001', []],
    ['fresh=x&before=VS-0003', [2, 1]],
    ['before=VS-%30003', [2, 1]],
  ] as const) {
    const page = await assertRead(app, `/api/v1/versions?${query}`, PAGE)
    assert.deepEqual(sequencesOf(page as unknown as History), sequences, query)
  }
})

test('a query without paging parameters gets the whole history', async (t) => {
  const app = await runApp(t, { releases: madeHistory(3) })
  const whole = await assertRead(app, '/api/v1/versions', PAGE)
  for (const query of [
    '',
    'fresh=x',
    'limit',
    'limit=',
    'limit=0',
    'limit=-1',
    'limit=+1',
    'limit=01',
    'limit=1.0',
    'limit=1e0',
    'limit=0x1',
    'limit=1001',
    'limit=9007199254740993',
    'limit=1&limit=1',
    'Limit=1',
    'before=',
    'before=VS-0004',
    'before=VS-0000',
    'before=VS-00002',
    'before=vs-0002',
    'before=2',
    'before=__proto__',
    'before=%ff',
    'before=VS-0002&before=VS-0002',
  ]) {
    assert.deepEqual(await assertRead(app, `/api/v1/versions?${query}`, PAGE), whole, query)
  }
})

test('a page is revalidated by its own ETag, and HEAD has its Link', async (t) => {
  const app = await runApp(t, { releases: madeHistory(3) })
  const page = '/api/v1/versions?limit=1'
  const get = await app.fetch(page)
  const etag = get.headers.get('etag') ?? ''
  const head = await app.fetch(page, { method: 'HEAD' })
  for (const name of ['etag', 'link', 'content-length']) {
    assert.equal(head.headers.get(name), get.headers.get(name), name)
  }
  const headers = { 'if-none-match': etag }
  const unchanged = await app.fetch(page, { headers })
  assert.deepEqual([unchanged.status, unchanged.headers.get('link')], [304, null])
  assert.ok(unchanged.headers.has('x-svc-revalidated'))
  assert.equal((await app.fetch('/api/v1/versions', { headers })).status, 200)
})

test('a deprecated history names its successor beside the next page', async (t) => {
  const deprecation = {
    deprecatedAt: '2026-11-01T00:00:00.000Z',
    sunsetAt: '2027-03-01T00:00:00.000Z',
    successor: ENDPOINTS.version.path,
  }
  const versions = { ...ENDPOINTS.versions, status: 'deprecated', deprecation } as const
  const app = await runApp(t, { registry: { ...ENDPOINTS, versions } })
  const { headers } = await app.fetch('/api/v1/versions?limit=1')
  assert.equal(
    headers.get('link'),
    '</api/v1/version>; rel="successor-version", </api/v1/versions?limit=1&before=VS-0002>; rel="next"',
  )
})
