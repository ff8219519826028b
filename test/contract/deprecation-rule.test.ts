import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, type Endpoint, type Registry } from '@public-api/contract/registry/endpoints'
import { deprecationFaults } from '@public-api/contract/registry/registry-rules'

const NOTICE = {
  deprecatedAt: '2026-11-21T00:00:00Z',
  sunsetAt: '2027-02-19T00:00:00Z',
  successor: '/api/v1/roadmap',
}

/** Every fault of a row in a registry. */
function violationsOf(row: Endpoint, registry: Registry): readonly string[] {
  return [...deprecationFaults(row, registry)]
}

/** Every fault of a deprecated changelog whose notice has these parts. */
function faultsOf(
  changes: Partial<typeof NOTICE>,
  stability: Endpoint['stability'] = 'stable',
): readonly string[] {
  const deprecation = { ...NOTICE, ...changes }
  const row: Endpoint = { ...ENDPOINTS.changelog, stability, status: 'deprecated', deprecation }
  return violationsOf(row, ENDPOINTS)
}

test('a stable endpoint stays available for ninety days to the millisecond, others have no minimum', () => {
  assert.deepEqual(faultsOf({}), [])
  assert.deepEqual(faultsOf({ sunsetAt: '2027-02-18T23:59:59.999Z' }), [
    'the sunset 2027-02-18T23:59:59.999Z is too early; a stable endpoint stays available for at least 90 days after 2026-11-21T00:00:00Z',
  ])
  for (const stability of ['beta', 'experimental'] as const) {
    assert.deepEqual(faultsOf({ sunsetAt: NOTICE.deprecatedAt }, stability), [])
    assert.equal(faultsOf({ sunsetAt: '2026-11-20T23:59:59Z' }, stability).length, 1)
  }
})

test('reports an invalid time and nothing else', () => {
  assert.deepEqual(faultsOf({ deprecatedAt: 'today' }), [
    'deprecatedAt is today; expected an ISO 8601 time in UTC',
  ])
  assert.deepEqual(faultsOf({ sunsetAt: 'soon' }), [
    'sunsetAt is soon; expected an ISO 8601 time in UTC',
  ])
  assert.equal(faultsOf({ deprecatedAt: '2026-02-30T00:00:00Z', sunsetAt: '' }).length, 2)
})

test('a successor is an active row of this version, or a path of another', () => {
  for (const successor of [
    '/api/v1',
    '/api/v1/roadmap',
    '/api/v2',
    '/api/v2/',
    '/api/v10/changes',
    // Another major version, though it begins with the characters of this one.
    '/api/v11/changes',
  ]) {
    assert.deepEqual(faultsOf({ successor }), [], successor)
  }
  for (const successor of [
    '',
    '/api/v0',
    '/api/v01/changes',
    '/api/v2x',
    '/api/vx/changes',
    '/api',
    'api/v2/changes',
    'https://elsewhere.example/api/v2/changes',
    '/elsewhere/api/v2/changes',
  ]) {
    assert.deepEqual(faultsOf({ successor }), [
      `the successor ${successor} is not a path of this API; expected a path below /api/v<number>`,
    ])
  }
  for (const successor of ['/api/v1/', '/api/v1/roadmap/', '/api/v1/keys', '/api/v1/changelog']) {
    // The row itself is deprecated, and so no way out of it.
    const row: Endpoint = { ...ENDPOINTS.changelog, status: 'deprecated' }
    const deprecation = { ...NOTICE, successor }
    assert.deepEqual(violationsOf({ ...row, deprecation }, { ...ENDPOINTS, changelog: row }), [
      `the successor GET ${successor} is not an active endpoint of this registry`,
    ])
  }
})

test('a notice requires the matching status of its row', () => {
  assert.deepEqual(violationsOf(ENDPOINTS.changelog, ENDPOINTS), [])
  assert.deepEqual(violationsOf({ ...ENDPOINTS.changelog, deprecation: NOTICE }, ENDPOINTS), [
    'it has a deprecation notice, but is active',
  ])
  assert.deepEqual(violationsOf({ ...ENDPOINTS.changelog, status: 'deprecated' }, ENDPOINTS), [
    'deprecated without a notice; expected deprecatedAt, sunsetAt and successor',
  ])
})
