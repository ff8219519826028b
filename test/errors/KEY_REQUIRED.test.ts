import { test } from 'node:test'
import { assertCatalogError } from '../support/catalog-error.ts'
import { runKeyedApp, SELF } from '../support/keyed-app.ts'

test('KEY_REQUIRED: keys/self without a key is 401 with a bare challenge', async (t) => {
  const app = await runKeyedApp(t)
  const key = await app.makeKey()
  for (const method of ['GET', 'DELETE']) {
    // Another scheme is ignored.
    for (const headers of [{}, { Authorization: `Basic ${btoa(`user:${key}`)}` }]) {
      await assertCatalogError(
        app,
        { method, target: SELF, headers },
        {
          code: 'KEY_REQUIRED',
          status: 401,
          retryable: false,
          wwwAuthenticate: 'Bearer',
          cors: method === 'GET',
        },
      )
    }
  }
})
