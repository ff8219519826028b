import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nonCanonicalHost } from '../../src/pages/serving/non-canonical-host.ts'

test('detects other loopback names with the same port', () => {
  const isOther = nonCanonicalHost('http://127.0.0.1:8080')
  for (const host of ['localhost:8080', 'LOCALHOST:8080', '[::1]:8080']) {
    assert.equal(isOther(host), true, host)
  }
  for (const host of [
    undefined,
    '127.0.0.1:8080',
    // A port that something else leads here from.
    'localhost:9000',
    'localhost',
    'example.org:8080',
    'localhost.example.org:8080',
    'localhost:8080@example.org:8080',
    ':8080',
    '',
    '%',
  ]) {
    assert.equal(isOther(host), false, String(host))
  }
  assert.equal(nonCanonicalHost('http://localhost')('127.0.0.1'), true)
})

test('a public origin has no other name', () => {
  for (const origin of [
    'https://record.example.org',
    'https://localhost:8443',
    'http://10.0.0.1:80',
  ]) {
    assert.equal(nonCanonicalHost(origin)('localhost:8443'), false, origin)
    assert.equal(nonCanonicalHost(origin)('localhost'), false, origin)
  }
})
