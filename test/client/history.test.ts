import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import { history } from '@public-api/client-internal/history/history'
import { HistoryError } from '@public-api/client-internal/history/history-error'
import { verifyEvidence } from '@public-api/client-internal/history/history-evidence'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { type PublishedHistory } from '../../src/service/releases/releases.ts'
import { madeHistory } from '../support/made-releases.ts'
import { runApp } from '../support/running-app.ts'
import { misstatingReleases, rewrittenReleases } from './rewritten-releases.ts'
import { key } from './scripted-client.ts'

/** A client of one history, whose entries come from another one if that is given. */
async function clientOf(
  t: Parameters<typeof runApp>[0],
  releases: PublishedHistory,
  entries: PublishedHistory = releases,
) {
  const app = await runApp(t, { releases })
  const other = await runApp(t, { releases: entries })
  const targets: string[] = []
  const client = createClient({
    baseUrl: app.origin,
    pinnedKeyIds: [key.keyId],
    now: () => app.clock.ms,
    fetch: (url, init) => {
      const target = url.slice(app.origin.length)
      targets.push(target)
      const isEntry = target.startsWith(`${READ_PATHS.versions}/`)
      return fetch((isEntry ? other : app).origin + target, init)
    },
  })
  return { client, targets }
}

async function idsOf(entries: ReturnType<typeof history>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { data, keyId } of entries) {
    assert.equal(keyId, key.keyId)
    ids.push(data.snapshotId)
  }
  return ids
}

test('every version comes newest first, with its proof', async (t) => {
  const { client } = await clientOf(t, madeHistory(4))
  assert.deepEqual(await idsOf(history(client)), ['VS-0004', 'VS-0003', 'VS-0002', 'VS-0001'])
})

test('reads an entry on demand, with the previous one', async (t) => {
  const { client, targets } = await clientOf(t, madeHistory(4))
  for await (const { data } of history(client)) {
    assert.equal(data.snapshotId, 'VS-0004')
    break
  }
  assert.deepEqual(
    targets.filter((target) => target !== READ_PATHS.signingKey),
    ['/api/v1/versions', '/api/v1/versions/VS-0004', '/api/v1/versions/VS-0003'],
  )
})

test('an aborted signal ends the iteration with its reason', async (t) => {
  const { client } = await clientOf(t, madeHistory(4))
  const control = new AbortController()
  const seen: string[] = []
  await assert.rejects(async () => {
    for await (const { data } of history(client, { signal: control.signal })) {
      seen.push(data.snapshotId)
      control.abort(new Error('enough'))
    }
  }, /enough/)
  assert.deepEqual(seen, ['VS-0004'])
})

for (const [name, fault, releases, entries, given] of [
  [
    'an entry that is not the one in the index',
    'REWRITTEN',
    madeHistory(4),
    rewrittenReleases(4, 2, (entry) => ({ ...entry, note: 'another' })),
    [],
  ],
  [
    'an entry that hides a change',
    'CHANGES_FALSE',
    misstatingReleases(4, 2, []),
    undefined,
    ['VS-0004', 'VS-0003'],
  ],
] as const) {
  test(`${name} ends the iteration with evidence`, async (t) => {
    const { client } = await clientOf(t, releases, entries)
    const seen: string[] = []
    let failure: unknown
    try {
      for await (const { data } of history(client)) seen.push(data.snapshotId)
    } catch (error) {
      failure = error
    }
    assert.ok(failure instanceof HistoryError, String(failure))
    const { fault: proved } = await verifyEvidence(failure.evidence, { pinnedKeyIds: [key.keyId] })
    assert.equal(proved, fault)
    assert.deepEqual(seen, given)
  })
}
