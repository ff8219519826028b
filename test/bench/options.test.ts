import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from '@public-api/cli-kit/command'
import { FLAGS, PARTS, parseOptions } from '../../bench/options.ts'
import { parseScriptArgs } from '../../scripts/script-main.ts'

function optionsOf(...args: readonly string[]) {
  return parseOptions(parseScriptArgs(args, FLAGS).values)
}

test('runs every part unless some are named', () => {
  assert.deepEqual([...optionsOf().parts], [...PARTS])
  const { parts } = optionsOf('--only', 'verification', '--only', 'cost')
  assert.deepEqual([...parts], ['verification', 'cost'])
  assert.throws(() => optionsOf('--only', 'imports'), UsageError)
})

test('a full run has the sizes that the targets apply to, a quick run smaller ones', () => {
  const [full, quick] = [optionsOf(), optionsOf('--quick')]
  assert.deepEqual(full.organizations.at(-1), { versions: 1000, incidents: 1000 })
  assert.ok((quick.organizations.at(-1)?.versions ?? 0) < 1000)
  const large = optionsOf('--only', 'growth', '--large')
  assert.deepEqual(large.organizations, [
    { versions: 100, incidents: 50 },
    { versions: 10_000, incidents: 5000 },
  ])
})

test('rejects invalid options', () => {
  for (const args of [
    ['--write', '--quick'],
    ['--write', '--large'],
    ['--write', '--only', 'cost'],
  ]) {
    assert.throws(() => optionsOf(...args), UsageError, args.join(' '))
  }
})
