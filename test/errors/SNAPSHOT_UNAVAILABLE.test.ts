import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { assertCatalogError } from '../support/catalog-error.ts'
import { makeReleases } from '../support/made-releases.ts'
import { runApp } from '../support/running-app.ts'

test('SNAPSHOT_UNAVAILABLE: a damaged resource is 503, and only that one', async (t) => {
  const made = makeReleases()
  for (const name of made.resources.keys()) {
    if (name.startsWith('roadmap ')) made.resources.set(name, '{"damaged":true}')
  }
  const app = await runApp(t, { releases: loadReleases(made.store) })
  await assertCatalogError(
    app,
    { method: 'GET', target: '/api/v1/roadmap' },
    { code: 'SNAPSHOT_UNAVAILABLE', status: 503, retryable: true, cors: true },
  )
  assert.equal((await app.fetch('/api/v1/status')).status, 200)
})
