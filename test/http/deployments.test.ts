import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Registry } from '@public-api/contract/registry/endpoints'
import { createPayload } from '../../src/service/releases/payload.ts'
import { createFakeApiKeys, FAKE_KEYS } from '../support/fake-api-keys.ts'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { ask, assertUnsigned, codeOf, envelopeOf, etagOf } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'

const DRAFT_REGISTRY: Registry = {
  ...ENDPOINTS,
  draft: { ...ENDPOINTS.time, path: '/api/v1/draft', runtime: 'local' },
  // A method that only the local runtime adds to a path that both serve.
  draftWrite: {
    ...ENDPOINTS.register,
    path: '/api/v1/status',
    runtime: 'local',
    success: { status: 200, data: 'RegistrationResult', envelope: 'registration' },
  },
}
const DRAFT_HANDLERS = {
  draft: () => createPayload({ drafted: true }),
  draftWrite: () => createPayload({ ticket: 'EA-00', status: 'WAITING', message: 'Hello.' }),
}

for (const runtime of ['local', 'production'] as const) {
  test(`a row of the local runtime in the ${runtime} runtime`, async (t) => {
    const app = await runApp(t, {
      runtime,
      registry: DRAFT_REGISTRY,
      extraHandlers: DRAFT_HANDLERS,
    })
    const isLocal = runtime === 'local'
    assert.equal((await ask(app, '/api/v1/draft')).status, isLocal ? 200 : 404)
    const write = await ask(app, '/api/v1/status', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    })
    assert.equal(write.status, isLocal ? 200 : 405)
    assert.equal(write.header('allow'), isLocal ? undefined : 'GET, HEAD, OPTIONS')

    const { data: index } = envelopeOf(await ask(app, '/api/v1'))
    const names = (index['endpoints'] as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    )
    const expected = Object.keys(ENDPOINTS).length + (isLocal ? 2 : 0)
    assert.equal(names.length, expected)
    assert.equal(names.includes('draft'), isLocal)
    const { data: policy } = envelopeOf(await ask(app, '/api/v1/policy'))
    assert.equal((policy['summary'] as { endpoints: number }).endpoints, expected)
    const openapi = (await ask(app, '/api/v1/openapi.json')).bytes.toString()
    assert.equal(openapi.includes('/api/v1/draft'), isLocal)
  })
}

test('the service’s own registry is the same in both runtimes', async (t) => {
  const [local, production] = [
    await runApp(t, { runtime: 'local' }),
    await runApp(t, { runtime: 'production' }),
  ]
  assert.equal(
    (await ask(local, '/api/v1')).header('etag'),
    (await ask(production, '/api/v1')).header('etag'),
  )
})

test('without a signing key responses are unsigned and the key document is missing', async (t) => {
  const app = await runApp(t, { signing: undefined, apiKeys: createFakeApiKeys() })
  for (const [method, target, headers, status] of [
    ['GET', '/api/v1', {}, 200],
    ['GET', '/api/v1/status', { 'X-SVC-Key': FAKE_KEYS.good }, 200],
    ['GET', '/api/v1/status', { 'If-None-Match': '*' }, 304],
    ['HEAD', '/api/v1/status', {}, 200],
    ['GET', '/api/v1/openapi.json', {}, 200],
    ['GET', '/api/v1/nothing', {}, 404],
    ['POST', '/api/v1/keys', {}, 503],
    ['GET', '/api/v1/keys/signing-key', {}, 503],
  ] as const) {
    const response = await ask(app, target, { method, headers })
    assert.equal(response.status, status, `${method} ${target}`)
    assertUnsigned(response)
    const hasId = method !== 'HEAD' && status !== 304
    assert.equal(response.header('x-request-id') !== undefined, hasId)
  }
  const status = await ask(app, '/api/v1/status')
  assert.equal(status.header('etag'), etagOf(envelopeOf(status).data))
})

for (const deployment of ['primary', 'preview'] as const) {
  test(`search engines and the ${deployment} deployment`, async (t) => {
    const app = await runApp(t, { deployment, apiKeys: createFakeApiKeys() })
    const expected = deployment === 'preview' ? 'noindex, nofollow' : undefined
    for (const [method, target, headers, status] of [
      ['GET', '/api/v1', [], 200],
      ['HEAD', '/api/v1/time', [], 200],
      ['GET', '/api/v1/status', ['If-None-Match: *'], 304],
      ['OPTIONS', '/api/v1/status', [], 204],
      ['OPTIONS', '*', [], 204],
      ['GET', '/api/v1/status', [`X-SVC-Key: ${FAKE_KEYS.good}`], 200],
      ['GET', '/api/v1/status', ['X-SVC-Key: x'], 401],
      ['GET', '/api/v1/preview', [], 403],
      ['GET', '/api/v1/nothing', [], 404],
      ['HEAD', '/api/v1/nothing', [], 404],
      ['PUT', '/api/v1/status', [], 405],
      ['POST', '/api/v1/keys', [], 503],
      ['GET', '/nothing', [], 404],
      ['GET', '/robots.txt', [], 200],
      ['POST', '/robots.txt', [], 405],
      ['GET', '/api/v1', ['Host: a'], 400],
      ['BREW', '/api/v1', [], 400],
    ] as const) {
      const request = rawRequest(method, target, ['Host: a', ...headers])
      const response = await sendRaw(app.port, request)
      assert.equal(response.status, status, `${method} ${target}`)
      assert.equal(response.headers.get('x-robots-tag'), expected, `${method} ${target}`)
    }
    const robots = await ask(app, '/robots.txt')
    assert.equal(robots.header('content-type'), 'text/plain; charset=utf-8')
    assert.equal(
      robots.bytes.toString(),
      deployment === 'preview'
        ? 'User-agent: *\nDisallow: /\n'
        : 'User-agent: *\nAllow: /\n\nSitemap: http://127.0.0.1:8080/sitemap.xml\n',
    )
  })
}

test('a preview deployment serves the same contract', async (t) => {
  const [primary, preview] = [await runApp(t), await runApp(t, { deployment: 'preview' })]
  for (const path of ['/api/v1', '/api/v1/policy', '/api/v1/openapi.json', '/api/v1/version']) {
    assert.equal(
      (await ask(primary, path)).header('etag'),
      (await ask(preview, path)).header('etag'),
    )
  }
})

test('an unknown path outside /api gets an unsigned HTML page with the headers of pages', async (t) => {
  const app = await runApp(t)
  for (const method of ['GET', 'HEAD', 'POST']) {
    const response = await ask(app, '/nothing?<script>', { method })
    assert.equal(response.status, 404)
    assert.equal(response.header('content-type'), 'text/html; charset=utf-8')
    assert.equal(response.header('cache-control'), 'no-store')
    assert.equal(response.header('x-content-type-options'), 'nosniff')
    assert.equal(response.header('referrer-policy'), 'strict-origin-when-cross-origin')
    const policy = response.header('content-security-policy') ?? ''
    assert.match(policy, /(?:^|; )default-src 'none'/)
    assert.match(policy, /(?:^|; )frame-ancestors 'none'/)
    assert.ok(!policy.includes('unsafe-'))
    for (const name of ['set-cookie', 'server', 'x-powered-by', 'access-control-allow-origin']) {
      assert.equal(response.header(name), undefined, name)
    }
    assertUnsigned(response)
    const text = response.bytes.toString()
    assert.equal(text === '', method === 'HEAD')
    assert.ok(!text.includes('?<script>'))
  }
})

test('a preview row refuses every request and needs no handler', async (t) => {
  const { success: _, ...roadmap } = ENDPOINTS.roadmap
  const registry: Registry = {
    ...ENDPOINTS,
    roadmap: {
      ...roadmap,
      stability: 'beta',
      status: 'preview',
      failure: 'PREVIEW_NOT_ENABLED',
    },
  }
  const app = await runApp(t, { registry, apiKeys: createFakeApiKeys() })
  const response = await ask(app, '/api/v1/roadmap')
  assert.deepEqual([response.status, codeOf(response)], [403, 'PREVIEW_NOT_ENABLED'])
  // The key is checked first, as everywhere.
  const keyed = await ask(app, '/api/v1/roadmap', { headers: { 'X-SVC-Key': FAKE_KEYS.expired } })
  assert.deepEqual([keyed.status, codeOf(keyed)], [401, 'KEY_EXPIRED'])
})
