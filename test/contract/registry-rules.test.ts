import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import {
  ENDPOINTS,
  visibleEndpoints,
  type Endpoint,
  type Registry,
} from '@public-api/contract/registry/endpoints'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'

const faultsOf = (registry: Registry) => checkRegistry(registry, { issuance: ISSUANCE })

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

/**
 * A rule, a row that is changed to break it, and what the fault says. test/contract/deprecation-rule.test.ts has the rules
 * of notices.
 */
const BROKEN_ROWS: readonly (readonly [
  rule: string,
  row: string,
  changes: { readonly [field: string]: unknown },
  says: RegExp,
])[] = [
  ['summary', 'status', { summary: ' ' }, /the summary is missing/],
  ['description', 'status', { description: '' }, /the description is missing/],
  ['base path', 'time', { path: '/api/v2/time' }, /the path \/api\/v2\/time is not plain/],
  [
    'base path as a mere prefix',
    'time',
    { path: '/api/v1time' },
    /the path \/api\/v1time is not plain/,
  ],
  ['trailing slash', 'time', { path: '/api/v1/time/' }, /the path \/api\/v1\/time\/ is not plain/],
  ['upper case', 'time', { path: '/api/v1/Time' }, /the path \/api\/v1\/Time is not plain/],
  ['query', 'time', { path: '/api/v1/time?zone=utc' }, /is not plain/],
  [
    'parameter inside',
    'versionById',
    { path: '/api/v1/versions/{snapshotId}/x' },
    /a parameter only as the last segment/,
  ],
  [
    'parameter without a description',
    'time',
    { path: '/api/v1/time/{zone}' },
    /path parameter zone is not described/,
  ],
  [
    'parameter of another name',
    'versionById',
    { path: '/api/v1/versions/{id}' },
    /snapshotId is described, but is not in the path/,
  ],
  [
    'empty parameter description',
    'versionById',
    { parameter: { ...ENDPOINTS.versionById.parameter, description: '' } },
    /snapshotId has no description/,
  ],
  [
    'empty parameter example',
    'preview',
    { parameter: { ...ENDPOINTS.preview.parameter, example: '' } },
    /path has no example/,
  ],
  [
    'parameter example against its pattern',
    'versionById',
    { parameter: { ...ENDPOINTS.versionById.parameter, example: 'V1' } },
    /example V1 of snapshotId does not match/,
  ],
  [
    'query parameter without a description',
    'versions',
    { query: { limit: { type: 'integer' } } },
    /query parameter limit has no description/,
  ],
  [
    'query parameters of a write',
    'createKey',
    { query: ENDPOINTS.versions.query },
    /a POST has no query parameters/,
  ],
  ['body on a GET', 'time', { request: 'Registration' }, /a GET has no request body/],
  [
    '201 on a GET',
    'time',
    { success: { ...ENDPOINTS.time.success, status: 201 } },
    /a GET does not succeed with 201/,
  ],
  [
    'cacheable responses of key holders',
    'keySelf',
    { cacheClass: 'short-lived' },
    /key holder may read is in the cache class none/,
  ],
  [
    'cacheable writes',
    'register',
    { cacheClass: 'static-snapshot' },
    /a POST is in the cache class none/,
  ],
  ['body on a DELETE', 'revokeKeySelf', { request: 'KeyRequest' }, /a DELETE has no request body/],
  [
    '201 on a DELETE',
    'revokeKeySelf',
    { success: { ...ENDPOINTS.revokeKeySelf.success, status: 201 } },
    /a DELETE does not succeed with 201/,
  ],
  [
    'write without an envelope',
    'register',
    { success: { ...ENDPOINTS.register.success, envelope: 'none' } },
    /a POST succeeds with an envelope/,
  ],
  ['POST without a body', 'register', { request: undefined }, /a POST describes its request body/],
  [
    'key answered but not required',
    'time',
    { errors: ['KEY_REQUIRED'] },
    /KEY_REQUIRED follows from the rest of the row/,
  ],
  [
    'preview with a success',
    'preview',
    { success: ENDPOINTS.time.success },
    /disabled and has no success/,
  ],
  [
    'active with the preview’s error',
    'time',
    { failure: 'PREVIEW_NOT_ENABLED' },
    /belongs to a preview, and to nothing else/,
  ],
  [
    'active without a success',
    'time',
    { success: undefined, errors: ['SNAPSHOT_UNAVAILABLE'] },
    /every other one has a success/,
  ],
  [
    'active and experimental',
    'time',
    { stability: 'experimental' },
    /experimental endpoint is never active/,
  ],
  [
    'bare data',
    'time',
    { success: { ...ENDPOINTS.time.success, envelope: 'none' } },
    /OpenAPI document, and nothing else/,
  ],
  [
    'enveloped OpenAPI document',
    'openapi',
    { success: { ...ENDPOINTS.openapi.success, envelope: 'response' } },
    /OpenAPI document, and nothing else/,
  ],
  [
    'registration envelope elsewhere',
    'time',
    { success: { ...ENDPOINTS.time.success, envelope: 'registration' } },
    /result of a registration, and nothing else/,
  ],
  [
    'snapshot that is written',
    'status',
    { method: 'DELETE', cacheClass: 'none' },
    /the method of the snapshot status is GET, not DELETE/,
  ],
  [
    'snapshot elsewhere',
    'status',
    { path: '/api/v1/state' },
    /the path of the snapshot status is \/api\/v1\/status, not \/api\/v1\/state/,
  ],
  [
    'snapshot of another cache class',
    'status',
    { cacheClass: 'short-lived' },
    /the cacheClass of the snapshot status is static-snapshot, not short-lived/,
  ],
  [
    'snapshot with another failure',
    'status',
    { failure: 'KEYS_UNAVAILABLE' },
    /the failure of the snapshot status is SNAPSHOT_UNAVAILABLE/,
  ],
  [
    'snapshot with another schema',
    'status',
    { success: ENDPOINTS.roadmap.success },
    /the path of the snapshot roadmap is \/api\/v1\/roadmap, not \/api\/v1\/status/,
  ],
  ['error of the router', 'time', { errors: ['NOT_FOUND'] }, /NOT_FOUND belongs to the router/],
  [
    'error with the status of a success',
    'createKey',
    { errors: [...ENDPOINTS.createKey.errors, 'DUPLICATE'] },
    /DUPLICATE has the status 200, which is not that of the success/,
  ],
  [
    'failure that blames the caller',
    'time',
    { failure: 'KEY_INVALID' },
    /an unexpected failure is a 503, but KEY_INVALID is a 401/,
  ],
  [
    'key issued behind the pause’s back',
    'createKey',
    { issuesKeys: undefined },
    /marked issuesKeys/,
  ],
  ['pause on what issues nothing', 'register', { issuesKeys: true }, /marked issuesKeys/],
  ['deprecated in silence', 'changelog', { status: 'deprecated' }, /deprecated without a notice/],
]

describe('names a broken row and its rule', () => {
  for (const [rule, row, changes, says] of BROKEN_ROWS) {
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

test('a local row is visible to the local runtime only', () => {
  const registry: Registry = {
    ...ENDPOINTS,
    draft: { ...ENDPOINTS.time, path: '/api/v1/draft', runtime: 'local' },
  }
  assert.deepEqual(faultsOf(registry), [])
  assert.deepEqual(Object.keys(visibleEndpoints(registry, 'local')), Object.keys(registry))
  assert.deepEqual(Object.keys(visibleEndpoints(registry, 'production')), Object.keys(ENDPOINTS))
})
