import assert from 'node:assert/strict'
import { test } from 'node:test'
import { propertyOf } from '@public-api/contract/json/property-of'

test('returns own properties', () => {
  const value: unknown = JSON.parse('{"a":1,"b":null,"__proto__":{"c":2},"toString":"text"}')
  assert.equal(propertyOf(value, 'a'), 1)
  assert.equal(propertyOf(value, 'b'), null)
  assert.deepEqual(propertyOf(value, '__proto__'), { c: 2 })
  assert.equal(propertyOf(value, 'toString'), 'text')
  assert.equal(propertyOf(['first'], '0'), 'first')
})

test('inherited properties and primitives give undefined', () => {
  const inherits: unknown = Object.create({ a: 1 })
  for (const [value, name] of [
    [inherits, 'a'],
    [{}, 'toString'],
    [{}, '__proto__'],
    [{}, 'constructor'],
    ['text', 'length'],
    ['text', '0'],
    [() => {}, 'name'],
    [7, 'toFixed'],
    [null, 'a'],
    [undefined, 'a'],
  ] as const) {
    assert.equal(propertyOf(value, name), undefined, name)
  }
})
