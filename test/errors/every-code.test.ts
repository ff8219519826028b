import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ERRORS } from '@public-api/contract/errors/errors'

const folder = new URL('.', import.meta.url)

test('every code of the catalog has a test, and no other code', () => {
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const tested = [...texts.join().matchAll(/\bcode: '([A-Z_]+)'/g)].map(([, code]) => code)
  assert.deepEqual(new Set(tested), new Set(Object.keys(ERRORS)))
})
