import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { canonicalJson, type JsonValue } from '@public-api/contract/json/canonical-json'
import canonicalize from 'canonicalize'
import * as fc from 'fast-check'
import {
  GO_CLIENT,
  missingProgram,
  missingPython,
  openGoFolder,
  runPython,
} from '../docs/verifiers.ts'
import { ANY_CODE_POINT } from '../support/any-text.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const FOLDER = path.resolve('test/conformance')

/** A text, and its canonical text. */
type Case = readonly [text: string, canonical: string]

/** Values as JSON with spaces and escapes of any form, and their canonical texts by the package of RFC 8785's author. */
function generatedCases(): readonly Case[] {
  const value = fc.oneof(
    fc.jsonValue({ stringUnit: ANY_CODE_POINT }),
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true })),
    fc.dictionary(fc.string({ unit: ANY_CODE_POINT }), fc.integer()),
  )
  return fc.sample(value, { numRuns: 20_000, seed: 20_261_126 }).map((each, index) => {
    const text = JSON.stringify(each, undefined, index % 3)
    const escaped = text.replaceAll(/[^ -~\n]/g, (unit) =>
      index % 2 === 0 ? unit : String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    return [escaped, canonicalize(each) ?? 'nothing']
  })
}

/** The test data of RFC 8785's author, as golang-github-gowebpki-jcs-dev has it: input and output files of one name. */
const TEST_DATA = process.env['JCS_TEST_DATA']

function publishedCases(): readonly Case[] {
  const read = (...parts: readonly string[]) =>
    readFileSync(path.join(TEST_DATA ?? '', ...parts), 'utf8').trimEnd()
  const names = readdirSync(path.join(TEST_DATA ?? '', 'input'))
  assert.ok(names.length >= 10, names.join(' '))
  return names.map((name) => [read('input', name), read('output', name)])
}

const { version } = JSON.parse(readFileSync('node_modules/canonicalize/package.json', 'utf8')) as {
  readonly version: string
}

for (const { source, cases, missing } of [
  { source: `canonicalize ${version}`, cases: generatedCases, missing: undefined },
  {
    source: 'the test data of RFC 8785',
    cases: publishedCases,
    missing:
      TEST_DATA === undefined ? 'JCS_TEST_DATA is not set; .ci/run --long sets it' : undefined,
  },
]) {
  test(`JavaScript agrees with ${source}`, { skip: missing }, (t) => {
    t.diagnostic(`foreign program: ${source}`)
    for (const [text, canonical] of cases()) {
      assert.equal(canonicalJson(JSON.parse(text) as JsonValue), canonical)
    }
  })

  test(`Python agrees with ${source}`, { skip: missing ?? missingPython() }, async (t) => {
    const program = path.join(FOLDER, 'canonical_json.py')
    const file = path.join(temporaryFolder(t), 'cases.json')
    const given = cases()
    writeFileSync(file, JSON.stringify(given))
    const { out, error } = await runPython([program, file])
    assert.equal(out, `${given.length} cases\n`, error)
  })

  test(`Go agrees with ${source}`, { skip: missing ?? missingProgram('go') }, async (t) => {
    const { folder, run, close } = openGoFolder()
    t.after(close)
    const file = path.join(folder, 'cases.json')
    const given = cases()
    writeFileSync(file, JSON.stringify(given))
    // The function is not exported, so the test is compiled as a file of the client.
    const overlay = path.join(folder, 'overlay.json')
    const name = 'canonical_json_test.go'
    const files = { [path.join(GO_CLIENT, `foreign_${name}`)]: path.join(FOLDER, name) }
    writeFileSync(overlay, JSON.stringify({ Replace: files }))
    const ended = await run(
      ['test', '-vet=off', '-overlay', overlay, '-v', '-run', 'TestForeignCanonicalJSON', '.'],
      { CANONICAL_JSON_CASES: file },
    )
    assert.equal(ended.status, 0, ended.out.slice(0, 4000) + ended.error)
    assert.match(ended.out, new RegExp(`: ${given.length} cases`))
  })
}
