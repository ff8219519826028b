import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRefusalLog } from '../../src/http/refusal-log.ts'

test('logs each code once a second, with the number left out', () => {
  const logged: (readonly [code: unknown, suppressed: unknown])[] = []
  const ignore = () => {}
  const logRefusal = createRefusalLog({
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (fields: object) => {
      const { code, suppressed } = fields as { code: unknown; suppressed?: unknown }
      logged.push([code, suppressed])
    },
  })
  const fields = {
    requestId: '5f0c2f5e-3b1d-4c6a-9a3e-0d6f2b7c8e91',
    endpoint: 'register',
    err: new Error('disk full'),
  }
  for (let nowMs = 0; nowMs < 1000; nowMs += 100)
    logRefusal('REGISTRATION_UNAVAILABLE', fields, nowMs)
  logRefusal('KEYS_UNAVAILABLE', fields, 500)
  logRefusal('REGISTRATION_UNAVAILABLE', fields, 1000)
  logRefusal('REGISTRATION_UNAVAILABLE', fields, 2000)
  logRefusal('REGISTRATION_UNAVAILABLE', fields, -5000)
  assert.deepEqual(logged, [
    ['REGISTRATION_UNAVAILABLE', undefined],
    ['KEYS_UNAVAILABLE', undefined],
    ['REGISTRATION_UNAVAILABLE', 9],
    ['REGISTRATION_UNAVAILABLE', undefined],
    ['REGISTRATION_UNAVAILABLE', undefined],
  ])
})
