import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { HISTORY_FAULTS } from '@public-api/client-internal/history-proofs'
import { LOG_FAULTS } from '@public-api/client-internal/log/log-error'
import { VERIFICATION_FAULTS } from '@public-api/client-internal/verification-error'

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

const CATALOG = Object.keys({ ...VERIFICATION_FAULTS, ...HISTORY_FAULTS })

/** The rows of the table of codes: the code and what the programs make of it. */
const TABLE = [
  ...read('docs/verifying.md').matchAll(
    /^\| `(?<code>[A-Z_]+)` \|.*\| yes \| (?<programs>.*) \|$/gm,
  ),
].map(({ groups }) => [groups?.['code'] ?? '', groups?.['programs'] ?? ''] as const)

/** Where each program states a code, and whether its name is a code of the check of the vectors alone. */
const PROGRAMS = {
  'verify.sh': /\brefuse ([A-Z_]+)/g,
  'verify.py': /\bRefused\("([A-Z_]+)"/g,
  'verify.go': /\brefuse\("([A-Z_]+)"/g,
} as const

test('the page lists each code of the client once', () => {
  assert.deepEqual(TABLE.map(([code]) => code).toSorted(), CATALOG.toSorted())
})

for (const [file, stated] of Object.entries(PROGRAMS)) {
  const text = read(`docs/verifying/${file}`)

  test(`${file} has the codes that the page lists for it`, () => {
    const has = (code: string) => new RegExp(String.raw`\b${code}\b`).test(text)
    for (const [code, programs] of TABLE) {
      assert.match(programs, /^(?:yes|no|as `[A-Z_]+`)$/)
      assert.equal(has(code), programs === 'yes', code)
    }
  })

  test(`${file} states no other code`, () => {
    const codes = new Set([...text.matchAll(stated)].map(([, code = '']) => code))
    assert.ok(codes.size >= 10, [...codes].join())
    // VECTORS is the outcome of --vectors, not of a response.
    codes.delete('VECTORS')
    for (const code of codes) assert.ok(CATALOG.includes(code), code)
  })
}

test('the README of the vectors defines the codes of responses and of histories', () => {
  const [readme = '', log = ''] = read('test/vectors/README.md').split('\n## The log\n')
  const codesIn = (text: string) =>
    [...text.matchAll(/\*\*`([A-Z_]+)`\*\*/g)].map(([, code = '']) => code)
  const defined = codesIn(readme)
  // Two checkpoints make a fork, and a history beside the log a mismatch; a vector has one checkpoint.
  const ofSeveral = new Set(['CONSISTENCY', 'FORK', 'LOG_MISMATCH'])
  const logCodes = Object.keys(LOG_FAULTS).filter((code) => !ofSeveral.has(code))
  assert.deepEqual([...new Set(codesIn(log))].toSorted(), logCodes.toSorted())
  const expected = TABLE.filter(([, programs]) => programs === 'yes').map(([code]) => code)
  // An outcome of --history with a saved hash, which no vector has.
  const withVectors = expected.filter((code) => code !== 'REWRITTEN')
  assert.deepEqual([...new Set(defined)].toSorted(), withVectors.toSorted())
})

test('the README of the client explains every code', () => {
  const readme = read('packages/client/README.md')
  for (const code of CATALOG) assert.ok(readme.includes(`\`${code}\``), code)
})
