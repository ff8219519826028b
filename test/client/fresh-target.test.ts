import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshTarget } from '@public-api/client-internal/fresh-target'

test('appends a random parameter to the target', () => {
  assert.match(freshTarget('/api/v1/status'), /^\/api\/v1\/status\?fresh=[\w-]{22}$/)
  assert.match(freshTarget('/api/v1/status?a=1'), /^\/api\/v1\/status\?a=1&fresh=[\w-]{22}$/)
  assert.match(freshTarget('/api/v1/status?'), /^\/api\/v1\/status\?&fresh=[\w-]{22}$/)
})

test('every target is unique', () => {
  const targets = Array.from({ length: 100 }, () => freshTarget('/api/v1/time'))
  assert.equal(new Set(targets).size, 100)
})
