import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOriginForm } from '../../../src/http/connection/request-framing.ts'

test('the origin form of a target', () => {
  assert.equal(toOriginForm('/api/v1?x'), '/api/v1?x')
  assert.equal(toOriginForm('//a/b'), '//a/b')
  assert.equal(toOriginForm('http://a'), '/')
  assert.equal(toOriginForm('http://a?x=/y'), '/?x=/y')
  assert.equal(toOriginForm('https://[::1]:1/x'), '/x')
  for (const target of [
    '*',
    'a:80',
    'api/v1',
    '',
    'ftp://a/api/v1',
    'http://',
    'http:/a',
    'http:///a',
    'http://:80/a',
    'http://me@a/a',
    'http://[::/a',
    'http://a:b/a',
  ])
    assert.equal(toOriginForm(target), undefined, target)
})
