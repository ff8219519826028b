import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ask, envelopeOf } from '../support/received-response.ts'
import { runApp } from '../support/running-app.ts'
import { SPEC_ENDPOINTS } from '../support/spec-endpoints.ts'
import { assertRead } from '../support/successful-read.ts'

interface IndexRow {
  readonly [member: string]: string
}

test('the index lists every endpoint of the specification and links to the documents about them', async (t) => {
  const app = await runApp(t)
  const data = await assertRead(app, '/api/v1', {
    schema: 'DiscoveryIndex',
    cacheClass: 'static-snapshot',
    link: [
      '</api/v1/openapi.json>; rel="service-desc"; type="application/json"',
      '</en/reference>; rel="service-doc"; type="text/html"',
      '</api/v1/policy>; rel="service-meta"; type="application/json"',
      '</api/v1/status>; rel="status"; type="application/json"',
    ].join(', '),
  })
  const rows = (data['endpoints'] as readonly IndexRow[]).map((row) =>
    ['method', 'path', 'stability', 'status', 'cacheClass', 'authentication']
      .map((member) => row[member])
      .join(' '),
  )
  assert.deepEqual(
    rows.filter((row) => SPEC_ENDPOINTS.includes(row)),
    SPEC_ENDPOINTS,
  )
  assert.equal(data['apiVersion'], 'v1')
  assert.equal(data['basePath'], '/api/v1')
})

test('every API path that the index links to responds', async (t) => {
  const app = await runApp(t)
  const { links } = (await assertRead(app, '/api/v1', {
    schema: 'DiscoveryIndex',
    cacheClass: 'static-snapshot',
    link: (await app.fetch('/api/v1')).headers.get('link') ?? '',
  })) as { readonly links: { readonly [name: string]: string } }
  assert.deepEqual(Object.keys(links).toSorted(), ['docs', 'index', 'openapi', 'policy'])
  for (const [name, path] of Object.entries(links)) {
    if (name !== 'docs') assert.equal((await app.fetch(path)).status, 200, path)
  }
})

// The one test that pins how many endpoints and errors there are; a new row changes it.
test('the policy has every member of spec 2.3 and counts 26 endpoints and 28 errors', async (t) => {
  const app = await runApp(t)
  const data = await assertRead(app, '/api/v1/policy', {
    schema: 'Policy',
    cacheClass: 'static-snapshot',
  })
  const expected =
    'schema note audience runtime authentication versioning stability deprecation caching cors headers limits rateLimiting security errors apiVersion basePath registryVersion links summary'
  assert.deepEqual(Object.keys(data).toSorted(), expected.split(' ').toSorted())
  assert.equal(data['schema'], 'svc.public.api.policy.v1')
  assert.equal(data['apiVersion'], 'v1')
  assert.equal(data['basePath'], '/api/v1')
  assert.match(String(data['registryVersion']), /^\d+\.\d+\.\d+$/)
  assert.deepEqual(data['summary'], {
    endpoints: 26,
    byStability: { stable: 14, beta: 12 },
    byStatus: { active: 25, preview: 1 },
    byCachePolicy: { 'static-snapshot': 19, 'short-lived': 3, none: 4 },
  })
  const { catalog } = data['errors'] as { readonly catalog: readonly unknown[] }
  assert.equal(catalog.length, 28)
})

test('the OpenAPI document is raw, version 3.0.3, and describes each row of the index', async (t) => {
  const app = await runApp(t)
  const document = (await assertRead(app, '/api/v1/openapi.json', {
    schema: 'OpenApiDocument',
    cacheClass: 'static-snapshot',
    enveloped: false,
  })) as {
    readonly openapi: string
    readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  }
  assert.equal(document.openapi, '3.0.3')
  assert.ok(!('ok' in document) && !('data' in document))
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    ['get', 'post', 'delete']
      .filter((method) => method in methods)
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  const promised = SPEC_ENDPOINTS.map((row) => row.split(' ').slice(0, 2).join(' '))
  assert.deepEqual(
    promised.filter((row) => !described.includes(row)),
    [],
  )
  const { endpoints } = envelopeOf(await ask(app, '/api/v1')).data as {
    readonly endpoints: readonly IndexRow[]
  }
  assert.deepEqual(
    described.toSorted(),
    endpoints.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
})
