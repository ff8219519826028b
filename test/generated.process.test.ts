import assert from 'node:assert/strict'
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ERRORS } from '@public-api/contract/errors/errors'
import { REMEDIES } from '@public-api/contract/errors/remedies'
import { ENDPOINTS } from '@public-api/contract/registry/endpoints'
import { READ_PATHS } from '@public-api/contract/registry/read-paths'
import { REQUEST_SCHEMAS } from '@public-api/contract/registry/schemas'
import { SNAPSHOT_SCHEMAS } from '@public-api/contract/snapshots/snapshot-schemas'
import { OWN_CONTRACT } from '../scripts/contract-outline.ts'
import { findDrift, generate } from '../scripts/generate.ts'
import { contractTextsOf } from '../src/pages/texts/contract-texts.ts'
import type { TextTranslations } from '../src/pages/texts/translations.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const ROOT_DIR = fileURLToPath(new URL('..', import.meta.url))

/** A folder with freshly generated files, so that a drift of the repository itself fails the one test about it. */
function generatedFolder(t: TestContext): string {
  const dir = temporaryFolder(t)
  cpSync(path.join(ROOT_DIR, 'locales'), path.join(dir, 'locales'), { recursive: true })
  generate(dir)
  return dir
}

const WITHOUT_TIME = {
  ...OWN_CONTRACT,
  registry: Object.fromEntries(Object.entries(ENDPOINTS).filter(([name]) => name !== 'time')),
}
const REWORDED = {
  ...OWN_CONTRACT,
  registry: { ...ENDPOINTS, time: { ...ENDPOINTS.time, summary: 'Ask for the time' } },
}

describe('drift is found', () => {
  test('names each file that drifted and its first different line', (t) => {
    const drift = findDrift(generatedFolder(t), WITHOUT_TIME)
    assert.equal(drift.length, 8)
    assert.match(
      drift[0] ?? '',
      /^docs\/api\/openapi\.json drifted, line \d+: found ".*", expected "/,
    )
    assert.match(
      drift[1] ?? '',
      /^docs\/api\/policy\.json drifted, line \d+: found "\\"endpoints\\": \d+,", expected "\\"endpoints\\": \d+,"/,
    )
    assert.match(drift[2] ?? '', /^locales\/th\.json drifted, line \d+: found "/)
    assert.match(drift[3] ?? '', /^locales\/zh-CN\.json drifted, line \d+: found "/)
    assert.match(drift[4] ?? '', /^packages\/contract\/registry\/read-paths\.ts drifted/)
    assert.match(drift[5] ?? '', /^packages\/client\/src\/resources\.ts drifted/)
    assert.match(drift[6] ?? '', /^clients\/go\/resources\.go drifted/)
    assert.match(drift[7] ?? '', /^clients\/python\/src\/public_api\/resources\.py drifted/)
  })

  test('a changed description makes the documents drift', (t) => {
    const drift = findDrift(generatedFolder(t), REWORDED)
    assert.equal(drift.length, 6)
    assert.match(drift[0] ?? '', /openapi\.json drifted, .*expected ".*Ask for the time/)
    assert.match(drift[1] ?? '', /locales\/th\.json drifted, .*expected ".*Ask for the time/)
    assert.match(drift[3] ?? '', /resources\.ts drifted, .*expected ".*Ask for the time/)
  })

  test('detects an edited, a shortened and a missing file', (t) => {
    const dir = generatedFolder(t)
    const policy = path.join(dir, 'docs/api/policy.json')
    const text = readFileSync(policy, 'utf8')
    writeFileSync(policy, text.replace(/"endpoints": \d+/, '"endpoints": 1000'))
    assert.match(
      findDrift(dir)[0] ?? '',
      /policy\.json drifted, line \d+: found "\\"endpoints\\": 1000/,
    )
    writeFileSync(policy, text.trimEnd())
    assert.match(
      findDrift(dir)[0] ?? '',
      /policy\.json drifted, line \d+: found the end of the file/,
    )
    writeFileSync(policy, `${text}more\n`)
    assert.match(findDrift(dir)[0] ?? '', /policy\.json drifted, line \d+: found "more"/)
    rmSync(policy)
    assert.deepEqual(findDrift(dir), ['docs/api/policy.json is missing; run npm run generate'])
  })

  test('generating fixes it, and a second run is a no-op', (t) => {
    const dir = generatedFolder(t)
    assert.deepEqual(generate(dir, REWORDED), [
      'docs/api/openapi.json',
      'locales/th.json',
      'locales/zh-CN.json',
      'packages/client/src/resources.ts',
      'clients/go/resources.go',
      'clients/python/src/public_api/resources.py',
    ])
    assert.deepEqual(findDrift(dir, REWORDED), [])
    assert.deepEqual(generate(dir, REWORDED), [])
  })
})

describe('translations', () => {
  test('get an empty one for each new text, and lose none', (t) => {
    const dir = generatedFolder(t)
    const read = () =>
      JSON.parse(readFileSync(path.join(dir, 'locales/th.json'), 'utf8')) as TextTranslations
    const before = read()
    generate(dir, REWORDED)
    assert.deepEqual(read(), { ...before, 'Ask for the time': '' })
    assert.equal(Object.keys(read()).at(-1), ENDPOINTS.time.summary)
  })

  test('are needed for every text of the tables', () => {
    const texts = contractTextsOf(OWN_CONTRACT)
    assert.equal(new Set(texts).size, texts.length)
    const { status, versionById } = ENDPOINTS
    for (const text of [
      status.summary,
      status.description,
      versionById.parameter.description,
      ERRORS.NOT_FOUND.meaning,
      // A message that repeats the meaning is not on the pages.
      REMEDIES.NOT_FOUND ?? '',
      ERRORS.INVALID_EMAIL.message,
      REQUEST_SCHEMAS.Registration.properties.email.description,
      SNAPSHOT_SCHEMAS.status.title,
      SNAPSHOT_SCHEMAS.status.properties.components.items.properties.since.description,
    ]) {
      assert.ok(texts.includes(text), text)
    }
  })
})

test('the read paths match the registry', (t) => {
  const dir = generatedFolder(t)
  const registry = { ...ENDPOINTS, people: { ...ENDPOINTS.status, path: '/api/v1/people' } }
  const drift = findDrift(dir, { ...OWN_CONTRACT, registry })
  assert.ok(drift.some((line) => /read-paths\.ts drifted.*people: '\/api\/v1\/people'/.test(line)))
  assert.deepEqual(
    READ_PATHS,
    Object.fromEntries(
      Object.entries(ENDPOINTS).flatMap(([name, row]) =>
        row.method === 'GET' ? [[name, row.path]] : [],
      ),
    ),
  )
})
