import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { parseKeyRequest } from '@public-api/contract/keys/key-request'
import { REQUEST_SCHEMAS } from '@public-api/contract/schemas/schemas'
import * as fc from 'fast-check'
import { schemaCheck } from '../documents/document-schemas.ts'

function isRefused(value: unknown): boolean {
  try {
    parseKeyRequest(value)
    return false
  } catch (error) {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'INVALID_INPUT')
    assert.equal(error.cause, undefined)
    return true
  }
}

test('accepts the minimal and the full request', () => {
  assert.deepEqual(parseKeyRequest({ challengeToken: 'solved' }), {
    challengeToken: 'solved',
    label: null,
    ttlDays: 90,
  })
  assert.deepEqual(
    parseKeyRequest({ challengeToken: 'solved', label: 'ci mirror.1_a-B', ttlDays: 1 }),
    {
      challengeToken: 'solved',
      label: 'ci mirror.1_a-B',
      ttlDays: 1,
    },
  )
  assert.equal(parseKeyRequest({ challengeToken: 'solved', ttlDays: 365 }).ttlDays, 365)
  assert.equal(
    parseKeyRequest({ challengeToken: 'solved', label: 'a'.repeat(40) }).label?.length,
    40,
  )
})

const GOOD = { challengeToken: 'solved' }
const REFUSED: readonly unknown[] = [
  null,
  [],
  'text',
  1,
  {},
  { challengeToken: '' },
  { challengeToken: null },
  { challengeToken: 1 },
  ...[null, '', 'a'.repeat(41), 'ก', 'a\n', 'a/b', 1, true].map((label) => ({ ...GOOD, label })),
  ...[null, 0, 366, -1, 1.5, '90', true, 1e300].map((ttlDays) => ({ ...GOOD, ttlDays })),
  { ...GOOD, scope: 'write' },
  { ...GOOD, sessionId: 'x' },
  JSON.parse('{"challengeToken":"solved","__proto__":{}}'),
]

for (const value of REFUSED) {
  test(`refused: ${JSON.stringify(value)}`, () => assert.equal(isRefused(value), true))
}

test('is accepted exactly if the published schema accepts it', () => {
  const faults = schemaCheck(REQUEST_SCHEMAS.KeyRequest)
  const value = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        challengeToken: fc.oneof(fc.constant('solved'), fc.string(), fc.jsonValue()),
        label: fc.oneof(fc.constant('ci'), fc.string(), fc.jsonValue()),
        ttlDays: fc.oneof(fc.integer({ min: -1, max: 400 }), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(value, (each) => {
      assert.equal(isRefused(each), faults(each).length > 0)
    }),
  )
})
