import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { Client } from '@public-api/client-internal/client'
import { createClient } from '@public-api/client-internal/client-with-copies'
import { ConnectionError, type Fetch } from '@public-api/client-internal/connection'
import { createFileResponseStore } from '@public-api/client-internal/node/index'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { FallbackStep, FallbackVector } from '../vectors/fallback-vectors.ts'

const FOLDER = new URL('../vectors/fallback/', import.meta.url)
const vectorOf = (file: string) =>
  JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as FallbackVector

/** Responds as a step of a vector states, and lists what was asked. */
function networkOf({ origin, responses }: FallbackVector, step: FallbackStep) {
  const asked: string[] = []
  const fetch: Fetch = (url) => {
    const named = url.replace(/fresh=[^&]*/, 'fresh=*')
    const isKeys = named.startsWith(origin + READ_PATHS.signingKey)
    if (!isKeys || named === origin + step.read) asked.push(named)
    const script = [step.network[named] ?? 'refused'].flat()
    const count = asked.filter((each) => each === named).length
    const name = script[Math.min(Math.max(count, 1), script.length) - 1] ?? ''
    const response = responses[name]
    if (response === undefined) return Promise.reject(new Error(name))
    const { status, headers, bodyBase64 } = response
    const body = new Blob([Buffer.from(bodyBase64 ?? '', 'base64')]).stream()
    return Promise.resolve({ status, headers, body })
  }
  return { asked, fetch }
}

async function resultOf(client: Client, { read, isFresh }: FallbackStep) {
  try {
    const result = await client.get(read, { fresh: isFresh === true })
    const { source, provedAtMs, ageSeconds, data, warnings } = result
    return { source, provedAt: new Date(provedAtMs).toISOString(), ageSeconds, data, warnings }
  } catch (error) {
    const { code } = error as { readonly code?: string }
    return { error: error instanceof ConnectionError ? 'CONNECTION' : (code ?? String(error)) }
  }
}

async function runSteps(vector: FallbackVector, folder: string): Promise<void> {
  let client: Client | undefined
  let network = networkOf(vector, vector.steps[0] as FallbackStep)
  let nowMs = 0
  for (const [index, step] of vector.steps.entries()) {
    network = networkOf(vector, step)
    nowMs = Date.parse(step.now)
    if (client === undefined || step.isRestarted === true) {
      client = createClient({
        baseUrl: vector.origin,
        mirrors: vector.mirrors,
        maxRetries: vector.maxRetries,
        ...(vector.pinnedKeyIds.length === 0 ? {} : { pinnedKeyIds: vector.pinnedKeyIds }),
        ...(vector.maxMirrorAgeSeconds === null
          ? {}
          : { maxMirrorAgeSeconds: vector.maxMirrorAgeSeconds }),
        ...(vector.hasStore ? { store: createFileResponseStore(folder) } : {}),
        fetch: (...asked) => network.fetch(...asked),
        now: () => nowMs,
        wait: () => Promise.resolve(),
      })
    }
    const found = await resultOf(client, step)
    const { expected } = step
    const where = `step ${index}: ${JSON.stringify(found)}`
    if ('error' in expected || 'error' in found) {
      assert.deepEqual(found, expected, where)
    } else {
      const starts = found.warnings.map((each, at) =>
        each.slice(0, expected.warnings[at]?.length ?? 0),
      )
      assert.deepEqual({ ...found, warnings: starts }, expected, where)
    }
    assert.deepEqual([...new Set(network.asked)], step.requests, where)
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
