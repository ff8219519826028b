import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { ask } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

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
