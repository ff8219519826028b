import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { derivePublicSigningKey } from '../../src/crypto/signing-keys.ts'
import { missingPython, PYTHON, runCommand, runPython } from '../docs/verifiers.ts'
import { documentedBlocks } from '../support/documented-blocks.ts'
import { succeeded } from '../support/run-svc.ts'
import { runApp, TEST_SIGNING_KEY } from '../support/running-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FOLDER = 'clients/python'
const PIN = derivePublicSigningKey(TEST_SIGNING_KEY).keyId
const SNIPPET =
  documentedBlocks('clients/python/README.md', 'Read').find(({ language }) => language === 'python')
    ?.text ?? ''

void test('the tests of the Python client pass', { skip: missingPython() ?? false }, async () => {
  const tests = ['-m', 'unittest', 'discover', '--start-directory', `${FOLDER}/tests`]
  const { status, error } = await runPython(tests)
  assert.equal(status, 0, error)
  assert.ok(Number(/^Ran (\d+) tests/m.exec(error)?.[1]) >= 2, error)
})

void test(
  'Debian’s setuptools builds the package',
  { skip: missingPython() ?? false },
  async (t) => {
    const copy = path.join(temporaryFolder(t), 'python')
    cpSync(FOLDER, copy, { recursive: true })
    const program = 'from setuptools import build_meta as b; print(b.build_wheel("."))'
    const out = succeeded(await runCommand(PYTHON, ['-c', program], process.env, copy))
    assert.match(out, /^public_api_client-\d+\.\d+\.\d+-py3-none-any\.whl$/m)
  },
)

void test('the snippet of the README runs', { skip: missingPython() ?? false }, async (t) => {
  const app = await runApp(t, { clock: { nowMs: Date.now } })
  const program = SNIPPET.replace('https://api.example.org', app.origin).replace(/kPrK_\w{38}/, PIN)
  assert.ok(SNIPPET.trim().split('\n').length <= 5, 'at most five lines')
  const { status, out, error } = await runPython(['-c', program])
  assert.deepEqual([status, out], [0, 'operational\n'], error)
})
