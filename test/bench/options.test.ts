import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIMITS } from '../../src/contract/limits.ts'
import { FLAGS, PARTS, readOptions } from '../../bench/options.ts'
import { parseScriptArgs, ScriptUsageError } from '../../scripts/script-main.ts'

const NOW = new Date('2026-05-17T12:00:00Z')

function optionsOf(...args: readonly string[]) {
  return readOptions(parseScriptArgs(args, FLAGS).values, NOW)
}

test('every part is run unless some are named', () => {
  assert.deepEqual([...optionsOf().parts], [...PARTS])
  const { parts } = optionsOf('--only', 'registration', '--only', 'export')
  assert.deepEqual([...parts], ['registration', 'export'])
  assert.throws(() => optionsOf('--only', 'imports'), ScriptUsageError)
})

test('a full run registers on up to a million rows, a quick one on fewer, and both begin with an empty list', () => {
  const [full, quick] = [optionsOf(), optionsOf('--quick')]
  assert.equal(full.listRows[0], 0)
  assert.equal(full.listRows.at(-1), 1_000_000)
  assert.equal(quick.listRows[0], 0)
  assert.ok(Math.max(...quick.listRows) < 100_000)
  assert.equal(full.exportRows, 100_000)
  assert.ok(quick.exportRows < full.exportRows)
})

test('a full run has ten thousand active keys among a million others, and 20,000 timed requests of a kind or more', () => {
  const [full, quick] = [optionsOf(), optionsOf('--quick')]
  assert.deepEqual(full.keyStores.at(-1), { active: 10_000, dead: 1_000_000 })
  assert.ok(full.keyTimingRequests >= 20_000)
  for (const { keyStores } of [full, quick]) {
    assert.deepEqual(keyStores[0], { active: 0, dead: 0 })
    const { active = 0, dead = 0 } = keyStores.at(-1) ?? {}
    assert.ok(active > 0 && dead >= 2 * active, 'as many revoked keys as active ones')
  }
})

test('no key is asked with more often than its quota allows', () => {
  for (const { keyStores, keyWarmUpRequests, keyRequests } of [optionsOf(), optionsOf('--quick')]) {
    for (const { active } of keyStores.filter((each) => each.active > 0)) {
      assert.ok((keyWarmUpRequests + keyRequests) / active < LIMITS.keyedRequests.requests)
    }
  }
})

test('a full run audits a history of the length that its target is for', () => {
  assert.equal(optionsOf().auditVersions, 10_000)
  assert.ok(optionsOf('--quick').auditVersions < 10_000)
})

test('--rounds counts for every part that is repeated', () => {
  const { rounds, registrationRounds, keyRounds, verificationRounds, pageRounds } = optionsOf(
    '--rounds',
    '9',
  )
  const found = [rounds, registrationRounds, keyRounds, verificationRounds, pageRounds]
  assert.deepEqual(found, [9, 9, 9, 9, 9])
})

test('the report has the day of the run unless one is given, and what is no day is refused', () => {
  assert.equal(optionsOf().date, '2026-05-17')
  assert.equal(optionsOf('--date', '2026-05-01').date, '2026-05-01')
  for (const args of [
    ['--date', 'today'],
    ['--rounds', '0'],
    ['--write', '--quick'],
    ['--write', '--only', 'keys'],
  ]) {
    assert.throws(() => optionsOf(...args), ScriptUsageError, args.join(' '))
  }
})
