import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { toResponse, assertSigned, publishedKey } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

const PATHS = [
  '/api/v1/preview',
  '/api/v1/preview/',
  '/api/v1/preview/next',
  '/api/v1/preview/a/b//c',
  '/api/v1/preview/../status',
  '/api/v1/preview/%',
  '/api/v1/preview?x=1',
]

test('the preview namespace and everything below it refuses every read', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const target of PATHS) {
    const response = toResponse('GET', target, await sendRaw(app.port, rawRequest('GET', target)))
    assert.equal(response.status, 403, target)
    assert.match(response.bytes.toString(), /"code":"PREVIEW_NOT_ENABLED"/)
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('etag'), undefined)
    assertSigned(response, key)
    const head = await sendRaw(app.port, rawRequest('HEAD', target))
    assert.deepEqual([head.status, head.body], [403, ''])
  }
})

test('a write below it is 405, and sibling paths are unknown', async (t) => {
  const app = await runApp(t)
  for (const target of PATHS) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await sendRaw(app.port, rawRequest(method, target))
      assert.equal(response.status, 405, `${method} ${target}`)
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
    }
  }
  for (const target of ['/api/v1/previews', '/api/v1/previewx/', '/api/v1/Preview']) {
    assert.equal((await sendRaw(app.port, rawRequest('GET', target))).status, 404, target)
  }
})
