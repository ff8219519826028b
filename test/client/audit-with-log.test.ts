import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@public-api/client-internal/client'
import type { Fetch } from '@public-api/client-internal/connection'
import type { HeadStore, SavedHead } from '@public-api/client-internal/history/head-store'
import {
  auditHistoryWithLog,
  SavedCheckpointError,
} from '@public-api/client-internal/log/compare-log'
import { LogError } from '@public-api/client-internal/log/log-error'
import { LaggingError } from '@public-api/client-internal/log/log-finding'
import { openPolicy } from '@public-api/client-internal/log/log-policy'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { folderWithLog, rollBackTo } from '../support/logged-releases.ts'
import { runApp } from '../support/running-app.ts'
import { key } from './scripted-client.ts'

function memoryStore(): HeadStore & { saved: SavedHead | undefined } {
  const store = {
    saved: undefined as SavedHead | undefined,
    load: () => Promise.resolve(store.saved),
    save(head: SavedHead) {
      store.saved = head
      return Promise.resolve()
    },
  }
  return store
}

test('the library audits history and log in one call, and remembers both', async (t) => {
  const { folder, releases, vkey } = await folderWithLog(t)
  const policy = await openPolicy(`log ${vkey}\nquorum none\n`)
  const store = memoryStore()
  const open = async () => {
    const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
    app.clock.ms = Date.now()
    return createClient({ baseUrl: app.origin, pinnedKeyIds: [key.keyId] })
  }
  const client = await open()
  const steps: string[] = []
  const first = await auditHistoryWithLog({
    client,
    store,
    policy,
    mirrors: [client.origin],
    onProgress: ({ step }) => steps.push(step),
  })
  assert.deepEqual([first.head.snapshotId, first.log.checkpoint.size], ['VS-0003', 3])
  assert.deepEqual(first.log.mirrors, [{ url: client.origin, size: 3 }])
  assert.ok(steps.includes('index'))
  assert.equal(store.saved?.checkpoints?.length, 1)

  await rollBackTo(folder, 'VS-0001', 'Back')
  const moved = { client: await open(), store, policy, moved: true }
  const second = await auditHistoryWithLog(moved)
  assert.deepEqual([second.log.previousSize, second.log.checkpoint.size], [3, 4])

  // The service shows the smaller log again.
  const shrunk: Fetch = (url, init) => fetch(url.replace(moved.client.origin, client.origin), init)
  await assert.rejects(
    auditHistoryWithLog({ ...moved, fetch: shrunk }),
    (error) => error instanceof LaggingError && /has 3 versions; 4 are known/.test(error.message),
  )

  const { saved } = store
  assert.ok(saved !== undefined)
  const checkpoints = saved.checkpoints?.map((note) => note.replace('\n4\n', '\n9\n')) ?? []
  store.saved = { ...saved, checkpoints }
  await assert.rejects(auditHistoryWithLog(moved), SavedCheckpointError)
})

test('a log that the policy does not name is an error of its own', async (t) => {
  const { releases, vkey } = await folderWithLog(t)
  const other = await folderWithLog(t, 2)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  app.clock.ms = Date.now()
  const client = createClient({ baseUrl: app.origin, pinnedKeyIds: [key.keyId] })
  const untrusted = await openPolicy(`log ${other.vkey}\nquorum none\n`)
  await assert.rejects(
    auditHistoryWithLog({ client, policy: untrusted }),
    (error) =>
      error instanceof LogError &&
      error.code === 'UNKNOWN_LOG' &&
      /expected a signature of \S+\+[0-9a-f]{8}, found origin \S+ signed by \S+\+[0-9a-f]{8}/.test(
        error.message,
      ),
  )
  const policy = await openPolicy(`log ${vkey}\nquorum none\n`)
  assert.equal((await auditHistoryWithLog({ client, policy })).log.pending, 0)
})
