import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import type * as vectorsEntry from '@public-api/client-internal/run-vectors'
import type { Vector } from '@public-api/client-internal/vector'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serveClientPackage } from '../support/client-package.ts'

const FOLDER = new URL('../vectors/', import.meta.url)
const browser = useBrowser()

/** Every vector of the folder and every later moment of one, then every chain of the folder of histories. */
function namesOfMoments(): readonly string[] {
  const filesOf = (folder: URL) => readdirSync(folder).filter((file) => file.endsWith('.json'))
  const nameOf = (file: string) => file.slice(0, -'.json'.length)
  const responses = filesOf(FOLDER).flatMap((file) => {
    const vector = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Vector
    const name = nameOf(file)
    return [name, ...(vector.chain ?? []).map(({ now }) => `${name} at ${now}`)]
  })
  const histories = filesOf(new URL('history/', FOLDER)).map((file) => `history/${nameOf(file)}`)
  const others = ['log', 'keys'].flatMap((kind) =>
    filesOf(new URL(`${kind}/`, FOLDER)).map((file) => `${kind}/${nameOf(file)}`),
  )
  return [...responses, ...histories, ...others]
}

test(
  'the published verifier returns the expected result for every vector on Chromium’s WebCrypto',
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
