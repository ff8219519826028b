import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type * as vectorsEntry from '../../packages/client/src/run-vectors.ts'
import type { Vector } from '../../packages/client/src/vector.ts'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serveClientPackage } from '../support/client-package.ts'

const FOLDER = new URL('../vectors/', import.meta.url)
const browser = useBrowser()

/** Every vector of the folder, and every later moment of one. */
function namesOfMoments(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => {
      const vector = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Vector
      const name = file.slice(0, -'.json'.length)
      return [name, ...(vector.chain ?? []).map(({ now }) => `${name} at ${now}`)]
    })
}

test(
  'the published verifier comes to the expected outcome in every vector on Chromium’s WebCrypto',
  { skip: browserMissing },
  async (t) => {
    const origin = await serveClientPackage(t)
    const { page, errors } = await browser.openPage(t)
    await page.goto(origin)
    const results = await page.evaluate(async () => {
      const entry = '/dist/client/run-vectors.js'
      const { runVectors } = (await import(entry)) as typeof vectorsEntry
      return runVectors(async (file) => (await fetch(`/vectors/${file}`)).text())
    })
    assert.deepEqual(results.map(({ name }) => name).toSorted(), namesOfMoments().toSorted())
    assert.deepEqual(
      results.filter(({ expected, found }) => expected !== found),
      [],
    )
    assert.deepEqual(errors, [])
  },
)
