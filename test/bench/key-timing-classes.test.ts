import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  KEY_CLASSES,
  keysOfClasses,
  randomOrder,
  spoil,
  unknownKey,
} from '../../bench/key-timing-classes.ts'
import { keyIdOf } from '../../src/contract/api-key.ts'

const ACTIVE = Array.from({ length: 200 }, unknownKey)
const REVOKED = Array.from({ length: 200 }, unknownKey)

test('every class has as many keys, none twice, all of one length', () => {
  const keys = keysOfClasses({ activeKeys: ACTIVE, revokedKeys: REVOKED })
  for (const name of KEY_CLASSES) {
    assert.equal(new Set(keys[name]).size, ACTIVE.length, name)
    assert.deepEqual([...new Set(keys[name].map(({ length }) => length))], [64], name)
  }
  assert.throws(() => keysOfClasses({ activeKeys: ACTIVE, revokedKeys: [] }), /as many revoked/)
})

test('each class is what its name says', () => {
  const keys = keysOfClasses({ activeKeys: ACTIVE, revokedKeys: REVOKED })
  const ids = new Set(ACTIVE.map(keyIdOf))
  assert.ok(keys.unknown.every((key) => keyIdOf(key) !== undefined && !ids.has(keyIdOf(key))))
  assert.deepEqual(keys.wrong.map(keyIdOf), ACTIVE.map(keyIdOf))
  assert.ok(keys.wrong.every((key, index) => key !== ACTIVE[index]))
  assert.deepEqual(keys.revoked, REVOKED)
  assert.ok(keys.malformed.every((key) => keyIdOf(key) === undefined))
})

test('one character anywhere makes a key none', () => {
  const key = unknownKey()
  for (let position = 0; position < key.length; position += 1) {
    const spoiled = spoil(key, position)
    assert.equal(keyIdOf(spoiled), undefined, spoiled)
    assert.equal(spoiled.length, key.length)
    const differing = spoiled.split('').filter((character, index) => character !== key[index])
    assert.equal(differing.length, 1)
  }
})

test('in the order of asking every class comes as often, and about as early', () => {
  const order = randomOrder(4, 5000)
  assert.equal(order.length, 20_000)
  for (let number = 0; number < 4; number += 1) {
    const places = order.flatMap((each, place) => (each === number ? [place] : []))
    assert.equal(places.length, 5000)
    const mean = places.reduce((sum, place) => sum + place, 0) / places.length
    // Its standard deviation is 71 places.
    assert.ok(Math.abs(mean - 9999.5) < 10 * 71, `class ${number}: ${mean}`)
  }
})
