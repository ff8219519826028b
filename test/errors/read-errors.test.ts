import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { assertCatalogError, type ExpectedError } from '../support/catalog-error.ts'
import { makeReleases } from '../support/made-releases.ts'
import { ask } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

/** Requests that any app refuses. */
const REFUSED: readonly (readonly [
  title: string,
  method: string,
  target: string,
  expected: ExpectedError,
])[] = [
  [
    'an unknown route is 404',
    'GET',
    '/api/v1/nothing-here',
    { code: 'NOT_FOUND', status: 404, retryable: false, cors: true },
  ],
  [
    'a wrong method on a known route is 405 with Allow',
    'PUT',
    '/api/v1/status',
    {
      code: 'METHOD_NOT_ALLOWED',
      status: 405,
      retryable: false,
      allow: 'GET, HEAD, OPTIONS',
      cors: true,
    },
  ],
  [
    'the preview namespace is 403',
    'GET',
    '/api/v1/preview/next',
    { code: 'PREVIEW_NOT_ENABLED', status: 403, retryable: false, cors: true },
  ],
  [
    'a version that was never published is 404',
    'GET',
    '/api/v1/versions/VS-9999',
    { code: 'VERSION_NOT_FOUND', status: 404, retryable: false, cors: true },
  ],
]

for (const [title, method, target, expected] of REFUSED) {
  test(`${expected.code}: ${title}`, async (t) => {
    await assertCatalogError(await runApp(t), { method, target }, expected)
  })
}

test('SNAPSHOT_UNAVAILABLE: a damaged or missing resource is 503, and only that one', async (t) => {
  const made = makeReleases()
  for (const name of made.resources.keys()) {
    if (name.startsWith('roadmap ')) made.resources.set(name, '{"damaged":true}')
    if (name.startsWith('wallet/security ')) made.resources.delete(name)
  }
  const app = await runApp(t, { releases: loadReleases(made.store) })
  for (const name of ['roadmap', 'wallet/security']) {
    await assertCatalogError(
      app,
      { method: 'GET', target: `/api/v1/${name}` },
      { code: 'SNAPSHOT_UNAVAILABLE', status: 503, retryable: true, cors: true },
    )
  }
  for (const name of ['status', 'wallet', 'version', 'versions', 'versions/VS-0002']) {
    assert.equal((await app.fetch(`/api/v1/${name}`)).status, 200, name)
  }
})

const TARGET = '/api/v1/keys/signing-key'

test('SIGNING_UNAVAILABLE: without a signing key its document is 503 and responses are unsigned', async (t) => {
  const app = await runApp(t, { signing: undefined })
  await assertCatalogError(
    app,
    { method: 'GET', target: TARGET },
    {
      code: 'SIGNING_UNAVAILABLE',
      status: 503,
      retryable: true,
      cors: true,
      unsigned: true,
    },
  )
  // No wait configures a key, so the message must not advise one.
  const { message } = JSON.parse((await ask(app, TARGET)).bytes.toString('utf8')).error
  assert.match(message, /not configured/)
  assert.doesNotMatch(message, /later/)
})
