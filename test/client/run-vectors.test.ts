import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { runVectors } from '../support/run-vectors.ts'

const FOLDER = new URL('../vectors/', import.meta.url)

test('the verifier returns the expected result for every vector and every link', async () => {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json') && !/^(?:fallback|integrity)/.test(file))
    .map((file) => file.slice(0, -'.json'.length))
  const results = await runVectors((file) =>
    Promise.resolve(
      file === 'index.json' ? JSON.stringify(names) : readFileSync(new URL(file, FOLDER), 'utf8'),
    ),
  )
  assert.ok(results.length > names.length + 20, `only ${results.length} results`)
  assert.deepEqual(
    results.filter(({ expected, found }) => expected !== found),
    [],
  )
})
