import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { browserMissing, useBrowser } from '../support/browser.ts'
import { serveClientPackage } from '../support/client-package.ts'
import type * as runner from '../support/run-vectors.ts'
import type { Vector } from '../support/vector.ts'

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
  'the verifier returns the expected result for every vector on Chromium’s WebCrypto',
  { skip: browserMissing },
  async (t) => {
    const origin = await serveClientPackage(t)
    const { page, errors } = await browser.openPage(t)
    await page.goto(origin)
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('../support/run-vectors.ts', import.meta.url))],
      bundle: true,
      globalName: 'vectors',
      platform: 'browser',
      write: false,
    })
    await page.addScriptTag({ content: outputFiles[0]?.text ?? '' })
    const results = await page.evaluate(async () => {
      const { runVectors } = Reflect.get(globalThis, 'vectors') as typeof runner
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
