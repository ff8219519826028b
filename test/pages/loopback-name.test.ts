import assert from 'node:assert/strict'
import { test } from 'node:test'
import { otherLoopbackName } from '../../src/pages/loopback-name.ts'

test('another name of this machine with the same port is told from all else', () => {
  const isOther = otherLoopbackName('http://127.0.0.1:8080')
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
  assert.equal(otherLoopbackName('http://localhost')('127.0.0.1'), true)
})

test('an origin that others reach has no other name', () => {
  for (const origin of [
    'https://record.example.org',
    'https://localhost:8443',
    'http://10.0.0.1:80',
  ]) {
    assert.equal(otherLoopbackName(origin)('localhost:8443'), false, origin)
    assert.equal(otherLoopbackName(origin)('localhost'), false, origin)
  }
})
