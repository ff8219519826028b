import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPolicy } from '@public-api/contract/documents/policy'
import { ERRORS } from '@public-api/contract/errors/errors'
import { canonicalJson } from '@public-api/contract/json/canonical-json'
import { DATA_SCHEMAS } from '@public-api/contract/registry/schemas'
import { HEADERS } from '@public-api/contract/terms/headers'
import { LIMITS } from '@public-api/contract/terms/limits'
import { closeSchema } from '@public-api/contract/terms/schema-type'
import { CHANGED_REGISTRY, ISSUANCE_OPEN, PRODUCTION } from './contract-fixture.ts'
import { schemaCheck } from './document-schemas.ts'

const check = schemaCheck(closeSchema(DATA_SCHEMAS.Policy))
const policy = createPolicy(PRODUCTION)

test('the policy has every member of the specification and only described fields', () => {
  assert.deepEqual(check(policy), [])
  assert.deepEqual(Object.keys(policy).toSorted(), [
    'apiVersion',
    'audience',
    'authentication',
    'basePath',
    'caching',
    'cors',
    'deprecation',
    'errors',
    'headers',
    'limits',
    'links',
    'note',
    'rateLimiting',
    'registryVersion',
    'runtime',
    'schema',
    'security',
    'stability',
    'summary',
    'versioning',
  ])
})

test('the numbers are the limits of the contract', () => {
  assert.equal(policy.schema, 'svc.public.api.policy.v1')
  assert.equal(policy.limits.maxBodyBytes, LIMITS.maxBodyBytes)
  assert.equal(policy.limits.responseContentType, 'application/json; charset=utf-8')
  assert.equal(policy.limits.labelPattern, `^[A-Za-z0-9 ._-]{1,${LIMITS.maxLabelLength}}$`)
  assert.equal(policy.limits.maxActiveKeys, LIMITS.maxActiveKeys)
  assert.deepEqual(policy.rateLimiting.registrationGlobal, LIMITS.registrationGlobal)
  assert.deepEqual(policy.rateLimiting.registrationPerActor, LIMITS.registrationPerActor)
  assert.deepEqual(policy.rateLimiting.keyedRequests, LIMITS.keyedRequests)
  assert.deepEqual(policy.rateLimiting.keyIssuance, LIMITS.keyIssuance)
  assert.equal(policy.deprecation.noticeDays, LIMITS.deprecationNoticeDays)
  assert.equal(policy.security.signing.maxAgeSeconds, LIMITS.signatureMaxAgeSeconds)
  assert.equal(policy.cors.maxAgeSeconds, 86_400)
})

test('cache classes, CORS and the catalog match the specification', () => {
  assert.equal(
    policy.caching.classes['static-snapshot']?.cacheControl,
    'public, max-age=60, stale-while-revalidate=300',
  )
  assert.equal(
    policy.caching.classes['short-lived']?.cacheControl,
    'public, max-age=0, must-revalidate',
  )
  assert.equal(policy.caching.classes['none']?.cacheControl, 'no-store')
  assert.deepEqual(policy.cors.allowMethods, ['GET', 'HEAD', 'OPTIONS'])
  assert.equal(policy.cors.allowCredentials, false)
  assert.deepEqual(policy.cors.exposeHeaders, [
    'X-Request-Id',
    'X-SVC-API-Version',
    'ETag',
    'Retry-After',
    'Deprecation',
    'Sunset',
    'Link',
    'Content-Digest',
    'X-SVC-Signed-At',
    'X-SVC-Signature',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'X-SVC-Revalidated',
    'Signature',
    'Signature-Input',
    'Unencoded-Digest',
  ])
  assert.deepEqual(
    policy.errors.catalog.map(({ code }) => code),
    Object.keys(ERRORS),
  )
  assert.deepEqual(
    policy.errors.catalog.find(({ code }) => code === 'RATE_LIMITED'),
    {
      code: 'RATE_LIMITED',
      status: 429,
      retryable: true,
      retryAfterSeconds: 60,
      meaning: 'Too many requests.',
    },
  )
})

test('explains every header of the contract, as request or response header', () => {
  const explained = new Set([
    ...Object.keys(policy.headers.request),
    ...Object.keys(policy.headers.response),
  ])
  // Content-Length is HTTP's own business and promises nothing.
  const named = Object.values(HEADERS).filter((name) => name !== HEADERS.contentLength)
  assert.deepEqual([...explained].toSorted(), named.toSorted())
  for (const name of policy.cors.exposeHeaders) assert.ok(name in policy.headers.response, name)
  for (const name of policy.cors.allowHeaders) assert.ok(name in policy.headers.request, name)
})

test("the state of issuance is the registry's", () => {
  assert.deepEqual(policy.authentication.issuance, { enabled: false, reason: 'PRODUCT_NOT_READY' })
  const opened = createPolicy({ ...PRODUCTION, issuance: ISSUANCE_OPEN })
  assert.deepEqual(check(opened), [])
  assert.deepEqual(opened.authentication.issuance, ISSUANCE_OPEN)
})

test('counts and deprecations follow the rows that the runtime serves', () => {
  const options = { ...PRODUCTION, registry: CHANGED_REGISTRY }
  const production = createPolicy(options)
  const local = createPolicy({ ...options, runtime: 'local' })
  assert.deepEqual(check(local), [])
  const { endpoints, byStatus } = policy.summary
  assert.equal(production.summary.endpoints, endpoints)
  assert.equal(local.summary.endpoints, endpoints + 1)
  const active = (byStatus['active'] ?? 0) - 1
  assert.deepEqual(production.summary.byStatus, { ...byStatus, active, deprecated: 1 })
  assert.deepEqual(production.deprecation.endpoints, [
    {
      method: 'GET',
      path: '/api/v1/changelog',
      deprecatedAt: '2026-11-21T00:00:00Z',
      sunsetAt: '2027-03-01T00:00:00Z',
      successor: '/api/v2/changelog',
    },
  ])
})

test('the same options give the same document', () => {
  assert.equal(canonicalJson(createPolicy(PRODUCTION)), canonicalJson(policy))
})
