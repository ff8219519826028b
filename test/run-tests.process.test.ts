import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { findTestFiles } from '../scripts/test-files.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const RUNNER = path.resolve('scripts/run-tests.ts')

test('isolates a file that starts processes, also through its support files', (t) => {
  const root = temporaryFolder(t)
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
    writeFileSync(path.join(root, file), text)
  }
  write('test/support/run.ts', "import { spawn } from 'node:child_process'\nexport { spawn }\n")
  write('test/support/between.ts', "export { spawn } from './run.ts'\n")
  write('test/pure.test.ts', "import type { ChildProcess } from 'node:child_process'\n")
  write('test/direct.test.ts', "import { fork } from 'node:child_process'\n")
  write('test/folder/indirect.test.ts', "import { spawn } from '../support/between.ts'\n")
  write('test/marked.test.ts', '// isolated: replaces a global\n')
  write('test/simulated-day.long.test.ts', '')
  assert.deepEqual(Object.fromEntries(findTestFiles(root)), {
    'test/direct.test.ts': 'starting',
    'test/folder/indirect.test.ts': 'starting',
    'test/marked.test.ts': 'isolated',
    'test/pure.test.ts': 'pure',
    'test/simulated-day.long.test.ts': 'long',
  })
})

function run(...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUNNER, ...args], {
    encoding: 'utf8',
    // node:test refuses to run inside itself.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  })
  return { status, stdout, stderr }
}

test('runs the files that a pattern selects and prints the sum of all runs', () => {
  const { status, stdout } = run('contract/ticket', 'contract/instant')
  assert.equal(status, 0, stdout)
  const [, tests, passed] = /All runs: tests (\d+), pass (\d+), fail 0/.exec(stdout) ?? []
  assert.ok(Number(tests) > 2, stdout)
  assert.equal(tests, passed)
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
