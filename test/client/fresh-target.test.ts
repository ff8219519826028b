import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshTarget } from '../../packages/client/src/fresh-target.ts'

test('a random parameter is added behind what the target has already', () => {
  assert.match(freshTarget('/api/v1/status'), /^\/api\/v1\/status\?fresh=[\w-]{22}$/)
  assert.match(freshTarget('/api/v1/status?a=1'), /^\/api\/v1\/status\?a=1&fresh=[\w-]{22}$/)
  assert.match(freshTarget('/api/v1/status?'), /^\/api\/v1\/status\?&fresh=[\w-]{22}$/)
})

test('no two targets are the same', () => {
  const targets = Array.from({ length: 100 }, () => freshTarget('/api/v1/time'))
  assert.equal(new Set(targets).size, 100)
})
