import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { canonicalJson, type JsonObject } from '@public-api/contract/json/canonical-json'
import { missingProgram, missingPython, openGoFolder, runPython } from '../docs/verifiers.ts'
import { readSteps } from '../support/fallback-steps.ts'
import { createSeededRandom } from '../support/seeded-random.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import type { VectorResponse } from '../support/vector.ts'
import {
  archivedOf,
  buildFallbackVectors,
  copyOfVersion,
  signed,
  signedVersion,
  versionData,
  type FallbackStep,
  type FallbackVector,
} from '../vectors/fallback-vectors.ts'

// Random pairs of histories, copies, mirrors and stores. What one client reads, the others must read, and none goes back.

const CASES = 2400
const below = createSeededRandom(46)
const random = () => below(1000) / 1000
const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item

const ORIGIN = 'https://api.example.org'
const MIRRORS = ['https://copy.example.net/', 'https://pages.example.com/status/'] as const
const STATUS = '/api/v1/status'
const VERSION = '/api/v1/version'
const KEYS = '/api/v1/keys/signing-key'
const STATES = ['operational', 'degraded', 'outage'].map((state) => ({ state }))
const START_MS = Date.UTC(2026, 10, 21, 9)

interface Published {
  readonly entry: VersionEntry
  readonly data: JsonObject
}

/** A history of some versions that continues another one from its last version. */
function historyAfter(before: readonly Published[], note: string): readonly Published[] {
  const history = [...before]
  for (let count = 1 + below(3); count > 0; count -= 1) {
    const data = oneOf(STATES)
    history.push({ entry: versionData(data, note, history.at(-1)?.entry), data })
  }
  return history
}

const CASE = buildFallbackVectors().get('origin') as FallbackVector

const keysAt = (seconds: number): VectorResponse => {
  const body = JSON.parse(
    Buffer.from(CASE.responses['keys']?.bodyBase64 ?? '', 'base64').toString(),
  )
  return signed(KEYS, (body as { readonly data: JsonObject }).data, seconds)
}

/** A case whose steps state no results yet. */
function makeCase(): FallbackVector {
  const trunk = historyAfter([], 'One history.')
  // Two histories with one beginning, or none.
  const fork = historyAfter(trunk.slice(0, below(trunk.length + 1)), 'Another history.')
  const versions = [...trunk, ...trunk, ...trunk, ...fork]
  const responses: Record<string, VectorResponse> = {}
  const steps: FallbackStep[] = []
  let seconds = 0
  for (let count = 3 + below(4); count > 0; count -= 1) {
    seconds += oneOf([30, 600, 5000])
    const network: Record<string, string> = {}
    const add = (url: string, response: VectorResponse) => {
      const name = `${steps.length} ${url}`
      responses[name] = response
      network[url] = name
    }
    if (random() < 0.4) {
      const { entry, data } = oneOf(versions)
      add(ORIGIN + STATUS, signed(STATUS, data, seconds))
      add(ORIGIN + VERSION, signedVersion(entry, seconds))
      add(ORIGIN + KEYS, keysAt(seconds))
    }
    for (const mirror of MIRRORS) {
      if (random() < 0.2) continue
      const { entry, data } = oneOf(versions)
      add(`${mirror}now.json`, copyOfVersion(entry, below(seconds + 20)))
      const bytes = random() < 0.1 ? 'damaged' : canonicalJson(data)
      const file = { status: 200, headers: [], bodyBase64: Buffer.from(bytes).toString('base64') }
      if (random() < 0.9) add(mirror + archivedOf(entry), file)
    }
    steps.push({
      now: new Date(START_MS + seconds * 1000).toISOString(),
      read: random() < 0.6 ? STATUS : VERSION,
      ...(random() < 0.3 ? { isRestarted: true as const } : {}),
      network,
      requests: [],
      expected: { error: '' },
    })
  }
  return {
    ...CASE,
    description: 'Made by chance.',
    ...(random() < 0.3 ? { pinnedKeyIds: [] } : {}),
    mirrors: MIRRORS.slice(0, 1 + below(2)),
    maxMirrorAgeSeconds: random() < 0.2 ? 3600 : null,
    hasStore: random() < 0.6,
    responses,
    steps,
  }
}

const isEntry = (data: unknown): data is VersionEntry => Object.hasOwn(Object(data), 'sequence')

/** The case with what this client reads. Throws if it goes back, or to another history, without a word. */
async function answered(vector: FallbackVector, folder: string): Promise<FallbackVector> {
  const steps: FallbackStep[] = []
  let newest: VersionEntry | undefined
  for await (const { step, found, asked } of readSteps(vector, folder)) {
    if (step.isRestarted === true && !vector.hasStore) newest = undefined
    const told = [...steps, { ...step, expected: found }]
    const text = told
      .map(({ read, isRestarted, network, expected }) => {
        const { snapshotId, hash } = Object(
          'data' in expected ? expected.data : {},
        ) as Partial<VersionEntry>
        const place =
          'error' in expected ? expected.error : `${expected.source} ${expected.provedAt}`
        const warnings = 'warnings' in expected ? expected.warnings : []
        return [
          isRestarted === true ? 'new' : '',
          read,
          Object.keys(network),
          place,
          snapshotId,
          hash,
          warnings,
        ].join(' ')
      })
      .join('\n')
    if ('error' in found) assert.match(found.error, /^[A-Z_]+$/, text)
    else {
      const { data, source, warnings } = found
      const hasWarning = warnings.some((each) => each.startsWith('OLDER_COPY: '))
      if (isEntry(data)) {
        if (source !== 'origin' && newest !== undefined) {
          assert.ok(data.sequence >= newest.sequence || hasWarning, text)
          if (data.sequence === newest.sequence && !hasWarning) {
            assert.equal(data.hash, newest.hash, text)
          }
        }
        const isNew = data.sequence > (newest?.sequence ?? 0)
        if (isNew || (source === 'origin' && data.sequence === newest?.sequence)) newest = data
      }
    }
    const expected =
      'error' in found
        ? found
        : {
            ...found,
            warnings: found.warnings.map((each) => each.split(': ').slice(0, 2).join(': ')),
          }
    steps.push({ ...step, requests: asked, expected })
  }
  return { ...vector, steps }
}

const go = openGoFolder()
after(() => go.close())

test(
  'the clients read the same of random histories, copies and stores, and none goes back',
  { skip: missingPython() ?? missingProgram('go') ?? false },
  async (t) => {
    const folder = temporaryFolder(t)
    const outcomes = new Map<string, number>()
    for (let number = 0; number < CASES; number += 1) {
      const vector = await answered(makeCase(), path.join(folder, 'stores', `${number}`))
      writeFileSync(path.join(folder, `${number}.json`), JSON.stringify(vector))
      for (const { expected } of vector.steps) {
        const codes = 'error' in expected ? [expected.error] : [expected.source]
        const warned =
          'error' in expected ? [] : expected.warnings.map((each) => each.split(':')[0])
        for (const code of [...codes, ...warned]) {
          outcomes.set(`${code}`, (outcomes.get(`${code}`) ?? 0) + 1)
        }
      }
    }
    t.diagnostic(JSON.stringify(Object.fromEntries(outcomes)))
    for (const code of ['origin', 'mirror', 'store', 'OLDER_COPY', 'OTHER_HISTORY', 'STALE_COPY']) {
      assert.ok((outcomes.get(code) ?? 0) > 20, `${code}: ${outcomes.get(code)}`)
    }
    const env = { FALLBACK_VECTORS: folder }
    const tests = ['-m', 'unittest', 'clients/python/tests/test_copies.py', '-k', 'test_cases']
    const python = await runPython(tests, env)
    assert.equal(python.status, 0, python.error.slice(0, 4000))
    const asked = ['test', '-count=1', '-run', 'TestFallbackVectors', '.']
    const tested = await go.run(asked, env)
    assert.equal(tested.status, 0, (tested.out + tested.error).slice(0, 4000))
  },
)
