import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { moduleReferences } from '../scripts/module-references.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const RUNNER = path.resolve('scripts/run-tests.ts')

test('the name of a file says how it runs', () => {
  const { stdout } = run('--list')
  const kinds = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ +/))
  assert.ok(kinds.length > 300)
  for (const [kind, file = ''] of kinds) {
    assert.equal(kind, file.endsWith('.process.test.ts') ? 'process' : 'fast', file)
    assert.doesNotMatch(file, /\.long\./)
  }
  assert.match(run('--long', '--list').stdout, /^(?:long {4}\S+\.long\.test\.ts\n)+$/)
})

/** Modules that start processes. */
const PROCESS_MODULES = new Set(['node:child_process', 'node:cluster', 'playwright-core'])

test('a file that starts processes, also through its support files, has it in its name', () => {
  const known = new Map<string, boolean>()
  const startsProcesses = (file: string): boolean => {
    const answer = known.get(file)
    if (answer !== undefined) return answer
    // Ends cycles; the result of the cycle's entry replaces it.
    known.set(file, false)
    const found = moduleReferences(readFileSync(file, 'utf8')).some(
      ({ specifier = '', isTypeOnly }) => {
        if (isTypeOnly) return false
        const target = path.join(path.dirname(file), specifier)
        const isOfTests = specifier.startsWith('.') && target.startsWith('test/')
        return (
          PROCESS_MODULES.has(specifier) ||
          (isOfTests && target.endsWith('.ts') && startsProcesses(target))
        )
      },
    )
    known.set(file, found)
    return found
  }
  const unnamed = globSync('test/**/*.test.ts', { exclude: ['**/node_modules/**'] })
    .filter((file) => !/\.(?:process|long)\.test\.ts$/.test(file))
    .filter(startsProcesses)
  assert.deepEqual(unnamed, [])
})

function run(...args: readonly string[]) {
  return runWith({}, ...args)
}

function runWith(env: { readonly [name: string]: string }, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...args], {
    encoding: 'utf8',
    // node:test refuses to run inside itself.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
  })
  return { status, stdout, stderr }
}

test('runs the files that a pattern selects and prints the sum of all runs', () => {
  const { status, stdout } = run('contract/ticket', 'contract/instant')
  assert.equal(status, 0, stdout)
  const [, tests] = /All runs: tests (\d+), skipped 0, failed runs 0/.exec(stdout) ?? []
  assert.ok(Number(tests) > 2, stdout)
})

test('prints the failures of all runs at the end', (t) => {
  const file = path.join(temporaryFolder(t), 'failing.mjs')
  const hook = "() => { throw new Error('made to fail') }"
  writeFileSync(file, `import { before } from 'node:test'\nbefore(${hook})\n`)
  const { status, stdout } = runWith(
    { NODE_OPTIONS: `--import=${file}` },
    'contract/ticket',
    'contract/instant',
  )
  assert.equal(status, 1)
  const [runs = ''] = stdout.split('\nAll runs: ')
  const end = runs.slice(runs.lastIndexOf('duration_ms'))
  for (const name of ['contract/ticket', 'contract/instant']) {
    assert.match(end, new RegExp(`test at test/${name}[\\s\\S]+made to fail`), name)
  }
})

test('selects tests by name', () => {
  const { status, stdout } = run('contract/ticket', '--name', '^there is no such test$')
  assert.equal(status, 0, stdout)
  assert.match(stdout, /All runs: tests 0,/)
})

test('rejects a pattern that matches no file', () => {
  const { status, stderr } = run('no-such-file')
  assert.equal(status, 2)
  assert.match(stderr, /no test file matches no-such-file/)
})
