import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { missingProgram, missingPython, PYTHON, runCommand } from '../docs/verifiers.ts'
import { succeeded } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FOLDER = 'clients/python'
const README = readFileSync(`${FOLDER}/README.md`, 'utf8')
const SNIPPET = /^```python\n([\s\S]*?)^```/m.exec(README)?.[1] ?? ''

/** mypy for the oldest supported Python, with the packages of Debian's. */
const MYPY = ['--strict', '--python-version', '3.9', '--python-executable', PYTHON]

void test(
  'the Python client and a program that uses it pass mypy --strict',
  { skip: missingPython() ?? missingProgram('mypy') ?? false },
  async (t) => {
    const folder = temporaryFolder(t)
    const cache = ['--cache-dir', path.resolve('node_modules/.cache/mypy')]
    succeeded(await runCommand('mypy', [...MYPY, ...cache, `${FOLDER}/src`]))
    const program = path.join(folder, 'program.py')
    writeFileSync(program, `${SNIPPET}\nstate: int = client.status().data["state"]\n`)
    const environment = { ...process.env, MYPYPATH: path.resolve(FOLDER, 'src') }
    const user = await runCommand('mypy', [...MYPY, ...cache, program], environment)
    // Only the last line is wrong: the types of the data are those of the schemas.
    const [wrong, summary] = user.out.split('\n')
    assert.match(wrong ?? '', /Incompatible types in assignment .*Literal\['operational', /)
    assert.match(summary ?? '', /^Found 1 error in 1 file/)
  },
)
