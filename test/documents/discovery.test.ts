import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDiscoveryIndex } from '@public-api/contract/documents/discovery'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { closeSchema } from '@public-api/contract/terms/schema-type'
import { CHANGED_REGISTRY, PRODUCTION } from './contract-fixture.ts'
import { schemaCheck } from './document-schemas.ts'

const check = schemaCheck(closeSchema(DATA_SCHEMAS.DiscoveryIndex))

test("the index lists every row in the registry's order and has only described fields", () => {
  const index = createDiscoveryIndex(PRODUCTION)
  assert.deepEqual(check(index), [])
  assert.deepEqual(
    index.endpoints.map(({ name, method, path }) => [name, method, path]),
    Object.entries(ENDPOINTS).map(([name, { method, path }]) => [name, method, path]),
  )
  assert.equal(index.apiVersion, 'v1')
  assert.equal(index.basePath, '/api/v1')
  assert.equal(index.registryVersion, '1.0.0')
  assert.deepEqual(index.links, {
    index: '/api/v1',
    policy: '/api/v1/policy',
    openapi: '/api/v1/openapi.json',
    docs: '/en/reference',
  })
})

test('a row matches the registry', () => {
  const { endpoints } = createDiscoveryIndex(PRODUCTION)
  assert.deepEqual(
    endpoints.find(({ name }) => name === 'keySelf'),
    {
      name: 'keySelf',
      method: 'GET',
      path: '/api/v1/keys/self',
      summary: ENDPOINTS.keySelf.summary,
      stability: 'beta',
      status: 'active',
      runtime: 'all',
      cacheClass: 'none',
      authentication: 'api-key',
    },
  )
})

test('production omits local rows, and a deprecated row announces its sunset', () => {
  const options = { ...PRODUCTION, registry: CHANGED_REGISTRY }
  const production = createDiscoveryIndex(options)
  const local = createDiscoveryIndex({ ...options, runtime: 'local' })
  assert.deepEqual(check(local), [])
  assert.equal(production.endpoints.length, Object.keys(ENDPOINTS).length)
  assert.equal(local.endpoints.length, production.endpoints.length + 1)
  assert.equal(local.endpoints.find(({ path }) => path === '/api/v1/draft')?.runtime, 'local')
  const deprecated = production.endpoints.find(({ name }) => name === 'changelog')
  assert.equal(deprecated?.status, 'deprecated')
  assert.equal(deprecated?.deprecatedAt, '2026-11-21T00:00:00Z')
  assert.equal(deprecated?.sunsetAt, '2027-03-01T00:00:00Z')
  assert.equal(deprecated?.successor, '/api/v2/changelog')
})
