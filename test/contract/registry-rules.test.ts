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
  [
    'active and experimental',
    'time',
    { stability: 'experimental' },
    /experimental endpoint is never active/,
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
