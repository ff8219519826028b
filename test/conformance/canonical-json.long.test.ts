import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import {
  GO_CLIENT,
  missingProgram,
  missingPython,
  openGoFolder,
  PYTHON,
  PYTHON_ENV,
  runCommand,
} from '../docs/verifiers.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const CASES = 20_000
const FOLDER = path.resolve('test/conformance')

/** Values as JSON with spaces and escapes of any form, and their canonical texts by the package of RFC 8785's author. */
function writeCases(folder: string): string {
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: ANY_CODE_POINT }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.dictionary(fc.string({ unit: ANY_CODE_POINT }), fc.integer()),
  )
  const cases = fc.sample(value, { numRuns: CASES, seed: 20_261_126 }).map((each, index) => {
    const text = JSON.stringify(each, undefined, index % 3)
    const escaped = text.replaceAll(/[^ -~\n]/g, (unit) =>
      index % 2 === 0 ? unit : String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return [escaped, canonicalize(each)]
  })
  const file = path.join(folder, 'cases.json')
  writeFileSync(file, JSON.stringify(cases))
  return file
}

const { version } = JSON.parse(readFileSync('node_modules/canonicalize/package.json', 'utf8')) as {
  readonly version: string
}

test('the Python client writes what canonicalize writes', { skip: missingPython() }, async (t) => {
  t.diagnostic(`foreign program: canonicalize ${version}`)
  const program = path.join(FOLDER, 'canonical_json.py')
  const cases = writeCases(temporaryFolder(t))
  const { out, error } = await runCommand(PYTHON, [program, cases], PYTHON_ENV)
  assert.equal(out, `${CASES} cases\n`, error)
})

test('the Go client writes what canonicalize writes', { skip: missingProgram('go') }, async (t) => {
  t.diagnostic(`foreign program: canonicalize ${version}`)
  const { folder, env, close } = openGoFolder()
  t.after(close)
  const overlay = path.join(folder, 'overlay.json')
  const [inside, file] = [GO_CLIENT, FOLDER].map((each) =>
    path.join(each, 'canonical_json_test.go'),
  )
  writeFileSync(overlay, JSON.stringify({ Replace: { [String(inside)]: file } }))
  const ended = await runCommand(
    'go',
    ['test', '-vet=off', '-overlay', overlay, '-v', '-run', 'TestForeignCanonicalJSON', '.'],
    { ...env, CANONICAL_JSON_CASES: writeCases(folder) },
    GO_CLIENT,
  )
  assert.equal(ended.status, 0, ended.out.slice(0, 4000) + ended.error)
  assert.match(ended.out, new RegExp(`: ${CASES} cases`))
})
