import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { OptionsError, PARTS, readOptions } from '../../bench/options.ts'

const NOW = new Date('2026-05-17T12:00:00Z')

test('every part is run unless some are named', () => {
  assert.deepEqual([...readOptions([], NOW).parts], [...PARTS])
  const { parts } = readOptions(['--only', 'registration', '--only', 'export'], NOW)
  assert.deepEqual([...parts], ['registration', 'export'])
  assert.throws(() => readOptions(['--only', 'imports'], NOW), OptionsError)
})

test('a full run registers on up to a million rows, a quick one on fewer, and both begin with an empty list', () => {
  const [full, quick] = [readOptions([], NOW), readOptions(['--quick'], NOW)]
  assert.equal(full.listRows[0], 0)
  assert.equal(full.listRows.at(-1), 1_000_000)
  assert.equal(quick.listRows[0], 0)
  assert.ok(Math.max(...quick.listRows) < 100_000)
  assert.equal(full.exportRows, 100_000)
  assert.ok(quick.exportRows < full.exportRows)
})

test('a full run has ten thousand active keys among a million others, and 20,000 timed requests of a kind or more', () => {
  const [full, quick] = [readOptions([], NOW), readOptions(['--quick'], NOW)]
  assert.deepEqual(full.keyStores.at(-1), { active: 10_000, dead: 1_000_000 })
  assert.ok(full.keyTimingRequests >= 20_000)
  for (const { keyStores } of [full, quick]) {
    assert.deepEqual(keyStores[0], { active: 0, dead: 0 })
    const { active = 0, dead = 0 } = keyStores.at(-1) ?? {}
    assert.ok(active > 0 && dead >= 2 * active, 'as many revoked keys as active ones')
  }
})

test('no key is asked with more often than its quota allows', () => {
  for (const { keyStores, keyWarmUpRequests, keyRequests } of [
    readOptions([], NOW),
    readOptions(['--quick'], NOW),
  ]) {
    for (const { active } of keyStores.filter((each) => each.active > 0)) {
      assert.ok((keyWarmUpRequests + keyRequests) / active < LIMITS.keyedRequests.requests)
    }
  }
})

test('a full run audits a history of the length that its target is for', () => {
  assert.equal(readOptions([], NOW).auditVersions, 10_000)
  assert.ok(readOptions(['--quick'], NOW).auditVersions < 10_000)
})

test('--rounds counts for every part that is repeated', () => {
  const { rounds, registrationRounds, keyRounds, verificationRounds, pageRounds } = readOptions(
    ['--rounds', '9'],
    NOW,
  )
  const found = [rounds, registrationRounds, keyRounds, verificationRounds, pageRounds]
  assert.deepEqual(found, [9, 9, 9, 9, 9])
})
