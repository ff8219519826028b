import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Issuance } from '@public-api/contract/keys/issuance'
import {
  ENDPOINTS,
  visibleEndpoints,
  type Endpoint,
  type Registry,
} from '@public-api/contract/registry/endpoints'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'

const PAUSED: Issuance = { enabled: false, reason: 'PRODUCT_NOT_READY' }

function faultsOf(registry: Registry, issuance: Issuance = PAUSED): readonly string[] {
  return checkRegistry(registry, { issuance })
}

/**
 * The rows of the service with one of them changed. A broken row is what these tests are about, so its parts are not
 * held to the types that would keep it from being written.
 */
function withRow(name: string, changes: { readonly [field: string]: unknown }): Registry {
  const registry: { [name: string]: Endpoint } = { ...ENDPOINTS }
  const row: object = Object.assign({}, registry[name], changes)
  registry[name] = row as Endpoint
  return registry
}

const NOTICE = {
  deprecatedAt: '2026-11-21T00:00:00Z',
  sunsetAt: '2027-02-19T00:00:00Z',
  successor: '/api/v1/roadmap',
}

interface BrokenRow {
  readonly rule: string
  readonly row: string
  readonly changes: { readonly [field: string]: unknown }
  readonly says: RegExp
}

const BROKEN_ROWS: readonly BrokenRow[] = [
  { rule: 'summary', row: 'status', changes: { summary: ' ' }, says: /the summary is missing/ },
  {
    rule: 'description',
    row: 'status',
    changes: { description: '' },
    says: /the description is missing/,
  },
  {
    rule: 'base path',
    row: 'time',
    changes: { path: '/api/v2/time' },
    says: /the path \/api\/v2\/time is not plain/,
  },
  {
    rule: 'base path as a mere prefix',
    row: 'time',
    changes: { path: '/api/v1time' },
    says: /the path \/api\/v1time is not plain/,
  },
  {
    rule: 'trailing slash',
    row: 'time',
    changes: { path: '/api/v1/time/' },
    says: /the path \/api\/v1\/time\/ is not plain/,
  },
  {
    rule: 'upper case',
    row: 'time',
    changes: { path: '/api/v1/Time' },
    says: /the path \/api\/v1\/Time is not plain/,
  },
  { rule: 'query', row: 'time', changes: { path: '/api/v1/time?zone=utc' }, says: /is not plain/ },
  {
    rule: 'parameter inside',
    row: 'versionById',
    changes: { path: '/api/v1/versions/{snapshotId}/x' },
    says: /a parameter only as the last segment/,
  },
  {
    rule: 'parameter without a description',
    row: 'time',
    changes: { path: '/api/v1/time/{zone}' },
    says: /path parameter zone is not described/,
  },
  {
    rule: 'parameter of another name',
    row: 'versionById',
    changes: { path: '/api/v1/versions/{id}' },
    says: /snapshotId is described, but is not in the path/,
  },
  {
    rule: 'empty parameter description',
    row: 'versionById',
    changes: { parameter: { ...ENDPOINTS.versionById.parameter, description: '' } },
    says: /snapshotId has no description/,
  },
  {
    rule: 'empty parameter example',
    row: 'preview',
    changes: { parameter: { ...ENDPOINTS.preview.parameter, example: '' } },
    says: /path has no example/,
  },
  {
    rule: 'parameter example against its pattern',
    row: 'versionById',
    changes: { parameter: { ...ENDPOINTS.versionById.parameter, example: 'V1' } },
    says: /example V1 of snapshotId does not match/,
  },
  {
    rule: 'query parameter without a description',
    row: 'versions',
    changes: { query: { limit: { type: 'integer' } } },
    says: /query parameter limit has no description/,
  },
  {
    rule: 'query parameters of a write',
    row: 'createKey',
    changes: { query: ENDPOINTS.versions.query },
    says: /a POST has no query parameters/,
  },
  {
    rule: 'body on a GET',
    row: 'time',
    changes: { request: 'Registration' },
    says: /a GET has no request body/,
  },
  {
    rule: '201 on a GET',
    row: 'time',
    changes: { success: { ...ENDPOINTS.time.success, status: 201 } },
    says: /a GET does not succeed with 201/,
  },
  {
    rule: 'cacheable responses of key holders',
    row: 'keySelf',
    changes: { cacheClass: 'short-lived' },
    says: /key holder may read is in the cache class none/,
  },
  {
    rule: 'cacheable writes',
    row: 'register',
    changes: { cacheClass: 'static-snapshot' },
    says: /a POST is in the cache class none/,
  },
  {
    rule: 'body on a DELETE',
    row: 'revokeKeySelf',
    changes: { request: 'KeyRequest' },
    says: /a DELETE has no request body/,
  },
  {
    rule: '201 on a DELETE',
    row: 'revokeKeySelf',
    changes: { success: { ...ENDPOINTS.revokeKeySelf.success, status: 201 } },
    says: /a DELETE does not succeed with 201/,
  },
  {
    rule: 'write without an envelope',
    row: 'register',
    changes: { success: { ...ENDPOINTS.register.success, envelope: 'none' } },
    says: /a POST succeeds with an envelope/,
  },
  {
    rule: 'POST without a body',
    row: 'register',
    changes: { request: undefined },
    says: /a POST describes its request body/,
  },
  {
    rule: 'body errors without a body',
    row: 'time',
    changes: { errors: ['INVALID_JSON'] },
    says: /lists INVALID_JSON if and only if it reads a body/,
  },
  {
    rule: 'body without its errors',
    row: 'createKey',
    changes: { errors: ['INVALID_JSON', 'INVALID_INPUT', 'UNSUPPORTED_MEDIA_TYPE'] },
    says: /lists PAYLOAD_TOO_LARGE if and only if it reads a body/,
  },
  {
    rule: 'key required but not answered',
    row: 'keySelf',
    changes: { errors: [] },
    says: /lists KEY_REQUIRED if and only if it requires an API key/,
  },
  {
    rule: 'key answered but not required',
    row: 'time',
    changes: { errors: ['KEY_REQUIRED'] },
    says: /lists KEY_REQUIRED if and only if it requires an API key/,
  },
  {
    rule: 'preview with a success',
    row: 'preview',
    changes: { success: ENDPOINTS.time.success },
    says: /disabled and has no success/,
  },
  {
    rule: 'preview without its error',
    row: 'preview',
    changes: { errors: [], failure: 'SNAPSHOT_UNAVAILABLE' },
    says: /lists PREVIEW_NOT_ENABLED if and only if it is a preview/,
  },
  {
    rule: 'active with the preview’s error',
    row: 'time',
    changes: { errors: ['PREVIEW_NOT_ENABLED'] },
    says: /lists PREVIEW_NOT_ENABLED if and only if it is a preview/,
  },
  {
    rule: 'active without a success',
    row: 'time',
    changes: { success: undefined, errors: ['SNAPSHOT_UNAVAILABLE'] },
    says: /every other one has a success/,
  },
  {
    rule: 'active and experimental',
    row: 'time',
    changes: { stability: 'experimental' },
    says: /experimental endpoint is never active/,
  },
  {
    rule: 'bare data',
    row: 'time',
    changes: { success: { ...ENDPOINTS.time.success, envelope: 'none' } },
    says: /OpenAPI document, and nothing else/,
  },
  {
    rule: 'enveloped OpenAPI document',
    row: 'openapi',
    changes: { success: { ...ENDPOINTS.openapi.success, envelope: 'response' } },
    says: /OpenAPI document, and nothing else/,
  },
  {
    rule: 'registration envelope elsewhere',
    row: 'time',
    changes: { success: { ...ENDPOINTS.time.success, envelope: 'registration' } },
    says: /result of a registration, and nothing else/,
  },
  {
    rule: 'snapshot that is written',
    row: 'status',
    changes: { method: 'DELETE', cacheClass: 'none' },
    says: /the method of the snapshot status is GET, not DELETE/,
  },
  {
    rule: 'snapshot elsewhere',
    row: 'status',
    changes: { path: '/api/v1/state' },
    says: /the path of the snapshot status is \/api\/v1\/status, not \/api\/v1\/state/,
  },
  {
    rule: 'snapshot of another cache class',
    row: 'status',
    changes: { cacheClass: 'short-lived' },
    says: /the cacheClass of the snapshot status is static-snapshot, not short-lived/,
  },
  {
    rule: 'snapshot with another failure',
    row: 'status',
    changes: { failure: 'KEYS_UNAVAILABLE' },
    says: /the failure of the snapshot status is SNAPSHOT_UNAVAILABLE/,
  },
  {
    rule: 'snapshot with another schema',
    row: 'status',
    changes: { success: ENDPOINTS.roadmap.success },
    says: /the path of the snapshot roadmap is \/api\/v1\/roadmap, not \/api\/v1\/status/,
  },
  {
    rule: 'error of the router',
    row: 'time',
    changes: { errors: ['NOT_FOUND'] },
    says: /NOT_FOUND belongs to the router/,
  },
  {
    rule: 'error with the status of a success',
    row: 'createKey',
    changes: { errors: [...ENDPOINTS.createKey.errors, 'DUPLICATE'] },
    says: /DUPLICATE has the status 200, which is not that of the success/,
  },
  {
    rule: 'failure that blames the caller',
    row: 'time',
    changes: { failure: 'KEY_INVALID' },
    says: /an unexpected failure is a 503, but KEY_INVALID is a 401/,
  },
  {
    rule: 'failure of what never succeeds',
    row: 'preview',
    changes: { failure: 'SNAPSHOT_UNAVAILABLE' },
    says: /SNAPSHOT_UNAVAILABLE is one of the errors it lists/,
  },
  {
    rule: 'key issued behind the pause’s back',
    row: 'createKey',
    changes: { issuesKeys: undefined },
    says: /marked issuesKeys/,
  },
  {
    rule: 'pause on what issues nothing',
    row: 'register',
    changes: { issuesKeys: true },
    says: /marked issuesKeys/,
  },
  {
    rule: 'deprecated in silence',
    row: 'changelog',
    changes: { status: 'deprecated' },
    says: /deprecated without a notice/,
  },
  {
    rule: 'notice on an active row',
    row: 'changelog',
    changes: { deprecation: NOTICE },
    says: /has a deprecation notice, but is active/,
  },
  {
    rule: 'sunset before the notice is over',
    row: 'changelog',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, sunsetAt: '2027-02-18T23:59:59Z' } },
    says: /too early; a stable endpoint stays available for at least 90 days/,
  },
  {
    rule: 'sunset before the deprecation',
    row: 'signingKey',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, sunsetAt: '2026-11-20T00:00:00Z' } },
    says: /too early; a beta endpoint stays available for at least 0 days/,
  },
  {
    rule: 'sunset that is not a time',
    row: 'changelog',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, sunsetAt: 'soon' } },
    says: /sunsetAt is soon; expected an ISO 8601 time in UTC/,
  },
  {
    rule: 'deprecation on an impossible date',
    row: 'changelog',
    changes: {
      status: 'deprecated',
      deprecation: { ...NOTICE, deprecatedAt: '2026-02-31T00:00:00Z' },
    },
    says: /deprecatedAt is 2026-02-31/,
  },
  {
    rule: 'successor elsewhere',
    row: 'changelog',
    changes: {
      status: 'deprecated',
      deprecation: { ...NOTICE, successor: 'https://example.org/' },
    },
    says: /is not a path of this API/,
  },
  {
    rule: 'successor that does not exist',
    row: 'changelog',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, successor: '/api/v1/news' } },
    says: /GET \/api\/v1\/news is not an active endpoint/,
  },
  {
    rule: 'its own successor',
    row: 'changelog',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, successor: '/api/v1/changelog' } },
    says: /is not an active endpoint/,
  },
  {
    rule: 'successor that is only written',
    row: 'changelog',
    changes: { status: 'deprecated', deprecation: { ...NOTICE, successor: '/api/v1/keys' } },
    says: /GET \/api\/v1\/keys is not an active endpoint/,
  },
]

describe('names a broken row and its rule', () => {
  for (const { rule, row, changes, says } of BROKEN_ROWS) {
    test(rule, () => {
      const faults = faultsOf(withRow(row, changes))
      assert.ok(
        faults.some((fault) => fault.startsWith(`${row}: `) && says.test(fault)),
        `expected ${says} of ${row} among: ${faults.join('\n') || '(no fault at all)'}`,
      )
    })
  }
})

test('reports a name that is not an operationId', () => {
  const [fault] = faultsOf({ 'version-by-id': ENDPOINTS.versionById })
  assert.match(fault ?? '', /^version-by-id: the name is not an operationId/)
})

test('names both rows of a duplicate method and path or request', () => {
  assert.deepEqual(faultsOf({ ...ENDPOINTS, again: ENDPOINTS.time }), [
    'time and again: both are GET /api/v1/time',
  ])
  assert.deepEqual(
    faultsOf({ ...ENDPOINTS, latest: { ...ENDPOINTS.version, path: '/api/v1/versions/latest' } }),
    [
      'versionById and latest: one request may match both /api/v1/versions/{snapshotId} and /api/v1/versions/latest',
    ],
  )
  assert.deepEqual(
    faultsOf({ ...ENDPOINTS, previews: { ...ENDPOINTS.version, path: '/api/v1/preview' } }),
    ['preview and previews: one request may match both /api/v1/preview/{path} and /api/v1/preview'],
  )
})

test('rows of one path agree on whether its parameter may be empty', () => {
  const removal: Endpoint = {
    ...ENDPOINTS.revokeKeySelf,
    path: ENDPOINTS.versionById.path,
    parameter: { ...ENDPOINTS.versionById.parameter, mayBeEmpty: true },
  }
  assert.deepEqual(faultsOf({ versionById: ENDPOINTS.versionById, removal }), [
    'versionById and removal: they share /api/v1/versions/{snapshotId}, but differ in whether its parameter may be empty',
  ])
})

test('a deprecated row with its notice is valid', () => {
  for (const successor of ['/api/v1/roadmap', '/api/v2', '/api/v2/changes']) {
    const deprecation = { ...NOTICE, successor }
    assert.deepEqual(faultsOf(withRow('changelog', { status: 'deprecated', deprecation })), [])
  }
})

test('issuance is paused with a reason or enabled with an approval', () => {
  const open: Issuance = {
    enabled: true,
    approvedBy: 'the owner',
    approvedAt: '2027-01-31',
    reference: 'decision 12',
  }
  assert.deepEqual(faultsOf(ENDPOINTS, open), [])
  assert.deepEqual(faultsOf(ENDPOINTS, { enabled: false, reason: '' }), [
    'issuance: paused without a reason',
  ])
  assert.deepEqual(faultsOf(ENDPOINTS, { ...open, approvedBy: ' ' }), [
    'issuance: open, but approvedBy is empty',
  ])
  assert.deepEqual(faultsOf(ENDPOINTS, { ...open, reference: '' }), [
    'issuance: open, but reference is empty',
  ])
  for (const approvedAt of ['', 'yesterday', '2027-02-30']) {
    assert.deepEqual(faultsOf(ENDPOINTS, { ...open, approvedAt }), [
      `issuance: approvedAt is "${approvedAt}"; expected an ISO 8601 date`,
    ])
  }
})

test('a local row is visible to the local runtime only', () => {
  const registry: Registry = {
    ...ENDPOINTS,
    draft: { ...ENDPOINTS.time, path: '/api/v1/draft', runtime: 'local' },
  }
  assert.deepEqual(faultsOf(registry), [])
  assert.deepEqual(Object.keys(visibleEndpoints(registry, 'local')), Object.keys(registry))
  assert.deepEqual(Object.keys(visibleEndpoints(registry, 'production')), Object.keys(ENDPOINTS))
})
