import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeApiKeys } from '../support/fake-api-keys.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { runApp } from '../support/running-app.ts'

/** What a HEAD leaves out, so that a cache cannot put it on a stored GET (RFC 9111 4.3.5). */
const LEFT_OUT = new Set(['Content-Digest', 'X-SVC-Signed-At', 'X-SVC-Signature', 'X-Request-Id'])

const PATHS = [
  '/api/v1',
  '/api/v1/status',
  '/api/v1/time',
  '/api/v1/early-access',
  '/api/v1/policy',
  '/api/v1/openapi.json',
  '/api/v1/versions/VS-0001',
  '/api/v1/versions/VS-9999',
  '/api/v1/keys/self',
  '/api/v1/preview',
  '/api/v1/nothing',
]

test('HEAD is GET without its body, its signature and its request id', async (t) => {
  const app = await runApp(t, { apiKeys: createFakeApiKeys() })
  for (const path of PATHS) {
    // A new key store for each would be the other way to have the same quota on both responses.
    const [get, head] = [
      await sendRaw(app.port, rawRequest('GET', path)),
      await sendRaw(app.port, rawRequest('HEAD', path)),
    ]
    assert.equal(head.status, get.status, path)
    assert.equal(head.body, '', path)
    assert.deepEqual(
      head.headerNames,
      get.headerNames.filter((name) => !LEFT_OUT.has(name)),
      path,
    )
    for (const [name, value] of head.headers) {
      if (name !== 'date') assert.equal(value, get.headers.get(name), `${name} of ${path}`)
    }
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.body, 'latin1')))
  }
})
