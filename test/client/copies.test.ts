import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { createClient } from '@public-api/client-internal/client-with-copies'
import { readSteps } from '../support/fallback-steps.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { FallbackStep, FallbackVector } from '../vectors/fallback-vectors.ts'

const FOLDER = new URL('../vectors/fallback/', import.meta.url)
const vectorOf = (file: string) =>
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as FallbackVector

async function runSteps(vector: FallbackVector, folder: string): Promise<void> {
  for await (const { step, found, asked } of readSteps(vector, folder)) {
    const { expected } = step
    const where = `${JSON.stringify(step)}: ${JSON.stringify(found)}`
    if ('error' in expected || 'error' in found) {
      assert.deepEqual(found, expected, where)
    } else {
      const starts = found.warnings.map((each, at) =>
        each.slice(0, expected.warnings[at]?.length ?? 0),
      )
      assert.deepEqual({ ...found, warnings: starts }, expected, where)
    }
    assert.deepEqual(asked, step.requests, where)
  }
}

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'))
assert.ok(files.length > 40)
for (const file of files) {
  test(`reads copies as ${file} states`, async (t) => {
    await runSteps(vectorOf(file), temporaryFolder(t))
  })
}

test('a damaged store is as if it were empty', async (t: TestContext) => {
  const vector = vectorOf('store-renewed.json')
  const [first, last] = [vector.steps[0], vector.steps.at(-1)] as [FallbackStep, FallbackStep]
  for (const damage of [
    (text: string) => text.replace('"status":200', '"status":201'),
    (text: string) => text.slice(0, -10),
    () => '['.repeat(100_000),
    () => '{}',
  ]) {
    const folder = temporaryFolder(t)
    await runSteps({ ...vector, steps: [first] }, folder)
    const [name = ''] = readdirSync(folder)
    const file = path.join(folder, name)
    const text = readFileSync(file, 'utf8')
    assert.notEqual(damage(text), text)
    writeFileSync(file, damage(text))
    await runSteps({ ...vector, steps: [{ ...last, expected: { error: 'CONNECTION' } }] }, folder)
  }
})

test('refuses a mirror whose URL has more than an origin and a path', () => {
  for (const mirror of ['ftp://a.test/', 'https://a.test/?b', 'https://a.test/#b', 'a']) {
    const options = { baseUrl: 'https://api.example.org', mirrors: [mirror] }
    assert.throws(() => createClient(options), TypeError, mirror)
  }
})
