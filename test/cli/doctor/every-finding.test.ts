import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FINDING_CATALOG } from '@public-api/cli/src/doctor/finding-catalog.ts'

test('each finding is expected by a test of this folder, whose server has its cause', () => {
  // The tests compare whole lists of findings, so a row also shows that nothing else is reported.
  const texts = globSync('test/cli/doctor/*.test.ts').map((file) => readFileSync(file, 'utf8'))
  const expected = new Set([...texts.join().matchAll(/'([a-z-]+)'/g)].map(([, id]) => id))
  const left = Object.keys(FINDING_CATALOG).filter((id) => !expected.has(id))
  assert.deepEqual(left, [])
})
