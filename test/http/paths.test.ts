import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { toResponse, assertSigned, publishedKey } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

/** Targets that another server might resolve, fold or decode into a known path. */
const UNKNOWN = [
  '/api',
  '/api/',
  '/api/v2',
  '/api/v2/status',
  '/api/v1/',
  '/api/v1/status/',
  '/api/v1//status',
  '/api//v1/status',
  '/api/v1/./status',
  '/api/v1/../v1/status',
  '/api/v1/wallet/../status',
  '/api/v1/%73tatus',
  '/api/v1/status%20',
  '/api/v1/status%00',
  '/api/v1%2Fstatus',
  '/api/%761/status',
  '/api/v1/Status',
  '/api/V1/status',
  '/api/v1/status;v=1',
  '/api/v1/status.json',
  '/api/v1/status#top',
  '/api/v1/status\\',
  '/api/v1/%',
  '/api/v1/%zz',
  '/api/v1/%c3%28',
  '/api/v1/versions/',
  '/api/v1/version/VS-0001',
  '/api/v1/openapi',
  '/api/v1/keys/self/',
  '/api/v1/keys/signing-keys',
  '/api/v1/wallet/',
  '/api/v1/wallet/balance',
  '/api/v1/wallet/security/keys',
  '/api/v1/wallet/Security',
  '/api/v1/previews',
  '/api/v1/previewx/',
  '/api/v1/Preview',
  '/api/v1/constructor',
  '/api/v1/__proto__',
  `/api/v1/${'a'.repeat(12_000)}`,
  `/api/v1/status${'/..'.repeat(3000)}`,
]

/** Targets outside the API that look as if they were inside. */
const OUTSIDE = [
  '/apix',
  '/api.json',
  '/API/v1/status',
  '//api/v1',
  '/./api/v1',
  '/x/../api/v1/status',
  '/%61pi/v1',
  '/api%2Fv1',
  '/en/../api/v1',
]

test('does not resolve, fold or decode a path: 404 NOT_FOUND, signed over the target as sent', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const path of UNKNOWN) {
    for (const target of [path, `${path}?q=/../%`]) {
      const response = toResponse('GET', target, await sendRaw(app.port, rawRequest('GET', target)))
      assert.equal(response.status, 404, target)
      assert.match(response.bytes.toString(), /"code":"NOT_FOUND"/, target)
      assert.equal(response.header('access-control-allow-origin'), '*')
      assertSigned(response, key)
    }
  }
})

test('a path outside /api is an unsigned HTML 404 in any spelling', async (t) => {
  const app = await runApp(t)
  for (const target of OUTSIDE) {
    const response = await sendRaw(app.port, rawRequest('GET', target))
    assert.equal(response.status, 404, target)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8', target)
    assert.equal(response.headers.get('x-svc-signature'), undefined)
  }
})

test('the query is not part of the path, but it is signed', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  for (const query of [
    '?',
    '??',
    '?a=b&a=c',
    '?/api/v1/time',
    '?%',
    '?#',
    `?${'q'.repeat(12_000)}`,
  ]) {
    const target = `/api/v1/status${query}`
    const response = toResponse('GET', target, await sendRaw(app.port, rawRequest('GET', target)))
    assert.equal(response.status, 200, target)
    assertSigned(response, key)
    assert.throws(() => assertSigned({ ...response, target: '/api/v1/status' }, key))
  }
})

test('an unknown version ID is VERSION_NOT_FOUND, and every path below preview is refused', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  const ids = ['VS-0003', 'VS-0000', 'VS-1', 'VS-00001', 'vs-0001', 'constructor', '__proto__']
  const spellings = ['VS-0001/', 'VS-0001/x', 'VS-0001/..', '%56S-0001', 'VS-%30001', 'VS-0001%00']
  const tails = [...ids, ...spellings, 'x', 'a/b//c', '/', '//', '../status', '%']
  for (const tail of tails) {
    for (const [prefix, status, code] of [
      ['/api/v1/versions/', 404, 'VERSION_NOT_FOUND'],
      ['/api/v1/preview/', 403, 'PREVIEW_NOT_ENABLED'],
    ] as const) {
      const target = prefix + tail
      const response = toResponse('GET', target, await sendRaw(app.port, rawRequest('GET', target)))
      assert.equal(response.status, status, target)
      assert.match(response.bytes.toString(), new RegExp(`"code":"${code}"`), target)
      assertSigned(response, key)
    }
  }
})

test('a write below preview is 405', async (t) => {
  const app = await runApp(t)
  for (const tail of ['', '/', '/next', '/a/b//c', '/../status', '/%', '?x=1']) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await sendRaw(app.port, rawRequest(method, `/api/v1/preview${tail}`))
      assert.equal(response.status, 405, `${method} ${tail}`)
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
    }
  }
})

test('responds to any target and signs it exactly as sent', async (t) => {
  const app = await runApp(t)
  const key = await publishedKey(app)
  const part = fc.oneof(
    fc.constantFrom('/', '..', '.', '%2e', '%', '?', '#', ';', 'api', 'v1', 'status', 'versions'),
    fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const target = `/api/v1/${parts.join('')}`
      const response = toResponse('GET', target, await sendRaw(app.port, rawRequest('GET', target)))
      assert.ok([200, 401, 403, 404, 405].includes(response.status), `${response.status} ${target}`)
      assertSigned(response, key)
    }),
    { numRuns: 100 },
  )
})
