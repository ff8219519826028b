import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS, SIGNATURE_MAX_AGE_SECONDS } from '@public-api/contract/terms/limits'

test('the limits are those of spec section 8', () => {
  assert.deepEqual(LIMITS, {
    maxBodyBytes: 8192,
    maxUseCaseCodePoints: 500,
    maxEmailLength: 254,
    maxInterests: 10,
    maxLabelLength: 40,
    minTtlDays: 1,
    defaultTtlDays: 90,
    maxTtlDays: 365,
    registrationGlobal: { requests: 300, windowSeconds: 60 },
    registrationPerActor: { requests: 5, windowSeconds: 60 },
    keyedRequests: { requests: 600, windowSeconds: 60 },
    keyIssuance: { requests: 60, windowSeconds: 3600 },
    maxActiveKeys: 10_000,
    deprecationNoticeDays: 90,
    maxTimeDistanceMs: 500,
    timeSilenceSeconds: 180,
    signatureMaxAgeSeconds: 900,
  })
  assert.equal(SIGNATURE_MAX_AGE_SECONDS, LIMITS.signatureMaxAgeSeconds)
})
