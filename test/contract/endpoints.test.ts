import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ISSUANCE } from '@public-api/contract/keys/issuance'
import { ENDPOINTS, errorsOf, type Endpoint } from '@public-api/contract/registry/endpoints'
import { checkRegistry } from '@public-api/contract/registry/registry-rules'
import { DATA_SCHEMAS, REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { TAGS } from '@public-api/contract/terms/endpoint-terms'
import { SPEC_ENDPOINTS } from '../support/spec-endpoints.ts'

const rows: readonly Endpoint[] = Object.values(ENDPOINTS)

test('the registry has every endpoint of the specification, in its order', () => {
  const found = rows.map(({ method, path, stability, status, cacheClass, authentication }) =>
    [method, path, stability, status, cacheClass, authentication].join(' '),
  )
  assert.deepEqual(
    found.filter((row) => SPEC_ENDPOINTS.includes(row)),
    SPEC_ENDPOINTS,
  )
})

test('the registry obeys its rules, and its version is a semantic version', () => {
  assert.deepEqual(checkRegistry(ENDPOINTS, { issuance: ISSUANCE }), [])
  assert.match(REGISTRY_VERSION, /^\d+\.\d+\.\d+$/)
})

test('every schema is used by an endpoint, and every tag', () => {
  const data = new Set(rows.flatMap(({ success }) => success?.data ?? []))
  const requests = new Set(rows.flatMap(({ request }) => request ?? []))
  const tags = new Set(rows.map(({ tag }) => tag))
  assert.deepEqual([...data].toSorted(), Object.keys(DATA_SCHEMAS).toSorted())
  assert.deepEqual([...requests].toSorted(), Object.keys(REQUEST_SCHEMAS).toSorted())
  assert.deepEqual([...tags].toSorted(), Object.keys(TAGS).toSorted())
})

test('endpoints list the errors of the specification', () => {
  const reads = ['status', 'architecture', 'developmentQueue', 'roadmap'] as const
  for (const name of reads) assert.ok(errorsOf(ENDPOINTS[name]).includes('SNAPSHOT_UNAVAILABLE'))
  assert.ok(errorsOf(ENDPOINTS.versionById).includes('VERSION_NOT_FOUND'))
  assert.ok(errorsOf(ENDPOINTS.signingKey).includes('SIGNING_UNAVAILABLE'))
  assert.ok(errorsOf(ENDPOINTS.preview).includes('PREVIEW_NOT_ENABLED'))
  for (const name of ['keySelf', 'revokeKeySelf'] as const) {
    assert.deepEqual(errorsOf(ENDPOINTS[name]).toSorted(), [
      'KEYS_UNAVAILABLE',
      'KEY_EXPIRED',
      'KEY_INVALID',
      'KEY_RATE_LIMITED',
      'KEY_REQUIRED',
    ])
  }
  for (const code of [
    'INVALID_JSON',
    'INVALID_INPUT',
    'CHALLENGE_FAILED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'RATE_LIMITED',
    'KEYS_UNAVAILABLE',
  ] as const) {
    assert.ok(errorsOf(ENDPOINTS.createKey).includes(code), code)
  }
})
