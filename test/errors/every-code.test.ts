import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS } from '@public-api/contract/errors/errors'

const folder = new URL('.', import.meta.url)

test('every code of the catalog has a test file, and no other file exists', () => {
  const files = readdirSync(folder).filter((name) => name !== 'every-code.test.ts')
  assert.deepEqual(
    files.toSorted(),
    Object.keys(ERRORS)
      .map((code) => `${code}.test.ts`)
      .toSorted(),
  )
})

test('each file tests the code of its name', () => {
  for (const code of Object.keys(ERRORS)) {
    const text = readFileSync(new URL(`${code}.test.ts`, folder), 'utf8')
    const proved = [...text.matchAll(/\bcode: '([A-Z_]+)'/g)].map(([, found]) => found)
    assert.deepEqual([...new Set(proved)], [code])
  }
})
