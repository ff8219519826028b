import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { HISTORY_FAULTS } from '@public-api/client-internal/history/history-proofs'
import { LOG_FAULTS } from '@public-api/client-internal/log/log-error'
import { VERIFICATION_FAULTS } from '@public-api/client-internal/verification-error'

function read(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

const CATALOG = Object.keys({ ...VERIFICATION_FAULTS, ...HISTORY_FAULTS })

/** The codes in the table of the page. */
const TABLE = [...read('docs/verifying.md').matchAll(/^\| `(?<code>[A-Z_]+)` \| [^|]* \|$/gm)].map(
  ({ groups }) => groups?.['code'] ?? '',
)

test('the page lists each code of the client once', () => {
  assert.deepEqual(TABLE.toSorted(), CATALOG.toSorted())
})

test('the README of the vectors defines the codes of responses and of histories', () => {
  const [readme = '', log = ''] = read('test/vectors/README.md').split('\n## The log\n')
  const codesIn = (text: string) =>
    [...text.matchAll(/\*\*`([A-Z_]+)`\*\*/g)].map(([, code = '']) => code)
  const defined = codesIn(readme)
  // Two checkpoints make a fork, and a history beside the log a mismatch; a vector has one checkpoint.
  const ofSeveral = new Set(['CONSISTENCY', 'FORK', 'LOG_MISMATCH'])
  const logCodes = Object.keys(LOG_FAULTS).filter((code) => !ofSeveral.has(code))
  assert.deepEqual([...new Set(codesIn(log))].toSorted(), logCodes.toSorted())
  // Only an audit finds these, because it compares signed responses; and the vectors name no malformed key.
  const ofAudits = new Set(['KEY_MALFORMED', 'REWRITTEN', 'SHORTENED', 'INCONSISTENT'])
  const withVectors = TABLE.filter((code) => !ofAudits.has(code))
  // Of the signatures for browsers alone: only they state when they end.
  assert.deepEqual([...new Set(defined)].toSorted(), [...withVectors, 'EXPIRED'].toSorted())
})

test('the README of the client explains every code', () => {
  const readme = read('packages/client/README.md')
  for (const code of CATALOG) assert.ok(readme.includes(`\`${code}\``), code)
})
