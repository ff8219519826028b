import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { rawRequest, sendRaw, type RawResponse } from '../support/raw-http.ts'
import { toResponse, assertSigned, publishedKey } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'
import { EXPOSED_HEADERS } from '../support/successful-read.ts'

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'] as const

type Method = (typeof METHODS)[number]

/** Which methods the specification gives a path, as Allow must list them. */
const READ_ONLY = 'GET, HEAD, OPTIONS'
const WRITE_ONLY = 'POST'

/** Every path of the registry, with its Allow and what a plain GET of it answers, or else a POST from another origin. */
const PATHS: { readonly [path: string]: readonly [allow: string, status: number] } = {
  ...Object.fromEntries(
    SNAPSHOT_NAMES.map((name) => [`/api/v1/${name}`, [READ_ONLY, 200] as const]),
  ),
  '/api/v1': [READ_ONLY, 200],
  '/api/v1/time': [READ_ONLY, 200],
  '/api/v1/early-access': [READ_ONLY, 200],
  '/api/v1/early-access/register': [WRITE_ONLY, 403],
  '/api/v1/policy': [READ_ONLY, 200],
  '/api/v1/openapi.json': [READ_ONLY, 200],
  '/api/v1/version': [READ_ONLY, 200],
  '/api/v1/versions': [READ_ONLY, 200],
  '/api/v1/versions/VS-0001': [READ_ONLY, 200],
  '/api/v1/keys': [WRITE_ONLY, 503],
  '/api/v1/keys/self': ['GET, HEAD, DELETE, OPTIONS', 200],
  '/api/v1/keys/signing-key': [READ_ONLY, 200],
  '/api/v1/preview/next': [READ_ONLY, 403],
}

/** Names of the CORS headers of a response. */
function corsNames({ headerNames }: RawResponse): readonly string[] {
  return headerNames.filter((name) => name.toLowerCase().startsWith('access-control-')).toSorted()
}

/** CORS headers of a read: both, and nothing else. */
function assertReadableAnywhere(response: RawResponse, what: string): void {
  assert.deepEqual(
    corsNames(response),
    ['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'],
    what,
  )
  assert.equal(response.headers.get('access-control-allow-origin'), '*')
  assert.equal(response.headers.get('access-control-expose-headers'), EXPOSED_HEADERS)
}

function expectedStatus(method: Method, allow: string, status: number): number {
  const isRead = allow.includes('GET')
  if (method === 'OPTIONS' && isRead) return 204
  return allow.split(', ').includes(method) ? status : 405
}

test('the table has every path of the registry', () => {
  const written = Object.keys(PATHS).map((path) =>
    path.replace(/VS-0001$/, '{snapshotId}').replace(/next$/, '{path}'),
  )
  assert.deepEqual(
    written.toSorted(),
    [...new Set(Object.values(ENDPOINTS).map(({ path }) => path))].toSorted(),
  )
})

for (const [path, [allow, status]] of Object.entries(PATHS)) {
  test(`${path}: what each method returns, Allow and the CORS headers`, async (t) => {
    const app = await runApp(t, { apiKeys: createFakeApiKeys() })
    const key = await publishedKey(app)
    const isRead = allow.includes('GET')
    const headers = [
      'Host: a',
      'Origin: https://elsewhere.example',
      // A key where one is needed. DELETE comes before TRACE only, so the revoked key spoils nothing but that one.
      ...(path.endsWith('/self') ? [`X-SVC-Key: ${FAKE_KEYS.good}`] : []),
    ]
    for (const method of METHODS) {
      const what = `${method} ${path}`
      const raw = await sendRaw(app.port, rawRequest(method, path, headers))
      const expected = expectedStatus(method, allow, status)
      assert.equal(raw.status, expected, what)
      const tellsAllow = expected === 405 || expected === 204
      assert.equal(raw.headers.get('allow'), tellsAllow ? allow : undefined, what)
      assert.ok(!(raw.headers.get('vary') ?? '').includes('Origin'), what)
      assert.equal(raw.headers.get('access-control-allow-credentials'), undefined, what)
      if (expected === 204) continue
      if (isRead && method !== 'POST' && method !== 'DELETE') assertReadableAnywhere(raw, what)
      else assert.deepEqual(corsNames(raw), [], what)
      if (method === 'HEAD') assert.equal(raw.body, '', what)
      else assertSigned(toResponse(method, path, raw), key)
    }
  })
}

test('a preflight is 204 and offers only read methods, also on keys/self', async (t) => {
  const app = await runApp(t)
  for (const [path, allow] of [
    ['/api/v1/status', 'GET, HEAD, OPTIONS'],
    ['/api/v1/keys/self', 'GET, HEAD, DELETE, OPTIONS'],
    ['/api/v1/preview/a/b', 'GET, HEAD, OPTIONS'],
    ['/api/v1/versions/none', 'GET, HEAD, OPTIONS'],
  ] as const) {
    const response = await sendRaw(
      app.port,
      rawRequest('OPTIONS', path, [
        'Host: a',
        'Origin: https://elsewhere.example',
        'Access-Control-Request-Method: DELETE',
        'Access-Control-Request-Headers: x-anything',
      ]),
    )
    assert.deepEqual([response.status, response.body], [204, ''])
    const headers = Object.fromEntries(response.headers)
    assert.match(headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/)
    delete headers['x-request-id']
    delete headers['date']
    assert.deepEqual(headers, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Authorization, X-SVC-Key, If-None-Match, Accept-Signature',
      'access-control-max-age': '86400',
      allow,
      'x-svc-api-version': 'v1',
      connection: 'close',
    })
  }
})

test('an unknown path is 404 for every method, with CORS for reads only', async (t) => {
  const app = await runApp(t)
  for (const method of METHODS) {
    const response = await sendRaw(app.port, rawRequest(method, '/api/v1/nothing'))
    assert.equal(response.status, 404, method)
    assert.equal(response.headers.get('allow'), undefined, method)
    if (method === 'POST' || method === 'DELETE') assert.deepEqual(corsNames(response), [], method)
    else assertReadableAnywhere(response, method)
  }
})
