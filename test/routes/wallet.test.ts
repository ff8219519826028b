import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DataSchemaName } from '@public-api/contract/schemas/schemas'
import { runApp } from '../support/running-app.ts'
import { assertRead } from '../support/successful-read.ts'

const VIEWS = {
  '': 'wallet',
  '/architecture': 'wallet/architecture',
  '/security': 'wallet/security',
  '/evidence': 'wallet/evidence',
  '/capabilities': 'wallet/capabilities',
  '/integration': 'wallet/integration',
  '/development': 'wallet/development',
} as const satisfies { readonly [path: string]: DataSchemaName }

test('the seven wallet views are published snapshots', async (t) => {
  const app = await runApp(t)
  for (const [path, schema] of Object.entries(VIEWS)) {
    await assertRead(app, `/api/v1/wallet${path}`, { schema, cacheClass: 'static-snapshot' })
  }
})

test('nothing else lives under wallet', async (t) => {
  const app = await runApp(t)
  for (const path of ['/', '/balance', '/security/', '/security/keys', '/Security']) {
    assert.equal((await app.fetch(`/api/v1/wallet${path}`)).status, 404, path)
  }
})
