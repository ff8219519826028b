import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { parseKeyRequest } from '@public-api/contract/keys/key-request'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
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
