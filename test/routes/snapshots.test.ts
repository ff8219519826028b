import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { makeReleases, madeHistory } from '../support/made-releases.ts'
import { digestOf } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

test('serves each snapshot as published, with the digest of the newest version', async (t) => {
  const made = makeReleases(3)
  const app = await runApp(t, { releases: loadReleases(made.store) })
  const { resources } = JSON.parse(made.versions.get('VS-0003') ?? '') as {
    readonly resources: { readonly [name: string]: string }
  }
  for (const name of SNAPSHOT_NAMES) {
    const data = await assertRead(app, `/api/v1/${name}`, {
      schema: name,
      cacheClass: 'static-snapshot',
    })
    assert.equal(digestOf(data), resources[name])
    assert.deepEqual(data, JSON.parse(made.resources.get(`${name} ${resources[name]}`) ?? ''))
  }
})

test('serves the newest version, and a query changes only the signed target', async (t) => {
  const app = await runApp(t, { releases: madeHistory(4) })
  const expected = { schema: 'status', cacheClass: 'static-snapshot' } as const
  const plain = await assertRead(app, '/api/v1/status', expected)
  assert.equal(plain['summary'], 'Made 4.')
  for (const target of ['/api/v1/status?', '/api/v1/status?a=1&b=%2e%2e/', '/api/v1/status??']) {
    assert.deepEqual(await assertRead(app, target, expected), plain)
  }
})
