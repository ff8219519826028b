import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('--rounds counts for the cost part and the registration part', () => {
  const { rounds, registrationRounds } = readOptions(['--rounds', '9'], NOW)
  assert.deepEqual([rounds, registrationRounds], [9, 9])
})
