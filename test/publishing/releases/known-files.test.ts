import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { REGISTRY_VERSION } from '@public-api/contract/terms/api-version'
import { sha256Base64url } from '../../../src/crypto/sha256.ts'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { readKnownFiles } from '../../../src/publishing/releases/content-base.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { digestOfRules } from '../../../src/publishing/releases/rules-digest.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const YEAR = 'site/events/2025'
const THAI_YEAR = 'site/translations/th/events/2025'
const RANDOM = 'kJ8xQz2Lw9Tn4Rb7Vc1Ym5Hd3Gf6Sp0A'

const eventsOf = (year: number, text: string): string => `# written by hand
incidents:
  - id: slow-${year}
    title: Slow answers
    state: resolved
    impact: minor
    startedAt: ${year}-03-01T10:00:00Z
    resolvedAt: ${year}-03-01T11:00:00Z
    components: [read-api]
    updates:
      - at: ${year}-03-01T11:00:00Z
        state: resolved
        text: ${text}
`

/** Content with two past years, one of them translated, that is published. */
async function publishYears(t: TestContext, registryVersion = REGISTRY_VERSION) {
  const contentDir = makeContent(t)
  writeContent(contentDir, 'events/2024.yaml', eventsOf(2024, 'It ended.'))
  writeContent(contentDir, 'events/2025.yaml', eventsOf(2025, 'It ended.'))
  writeContent(contentDir, 'th/events/2025.yaml', 'incidents:\n  - id: slow-2025\n    title: ช้า\n')
  const releasesDir = path.join(temporaryFolder(t), 'releases')
  const store = openReleaseStore(releasesDir)
  const common = { store, contentDir, nowMs: FIXTURE_NOW_MS, registryVersion, note: 'A note.' }
  const publish = (only?: ReadonlySet<'roadmap'>) => publishRelease({ ...common, only })
  await publish()
  const isKnown = (file: string, resource: string) => {
    const known = readKnownFiles(contentDir, store)
    const text = readFileSync(path.join(contentDir, file), 'utf8')
    return known.isSame(file, text) && known.read(resource as typeof YEAR) !== undefined
  }
  /** What the folder compiles to, which the known files must not change; and what is wrong with it. */
  const compile = async () => {
    const known = readKnownFiles(contentDir, store)
    const [whole, fast] = [
      await compileContent(contentDir, FIXTURE_NOW_MS),
      await compileContent(contentDir, FIXTURE_NOW_MS, { known }),
    ]
    for (const name of ['mistakes', 'resources', 'warnings', 'files'] as const) {
      assert.deepEqual(fast[name], whole[name], name)
    }
    return fast.mistakes.map(({ file, found }) => `${path.relative(contentDir, file)}: ${found}`)
  }
  return { contentDir, releasesDir, store, publish, isKnown, compile }
}

test('a year that is as it was published is known, and compiles to the same', async (t) => {
  const { contentDir, store, isKnown, compile, publish } = await publishYears(t)
  assert.ok(isKnown('events/2025.yaml', YEAR) && isKnown('th/events/2025.yaml', THAI_YEAR))
  const known = readKnownFiles(contentDir, store).read(YEAR) as { incidents: { id: string }[] }
  assert.equal(known.incidents[0]?.id, 'slow-2025')
  assert.deepEqual(await compile(), [])
  // A mistake that another file makes of it is found at its place.
  editContent(contentDir, 'status', 'incidents: []', eventsOf(2025, 'Again.').slice(18))
  assert.deepEqual(await compile(), ['events/2025.yaml: "slow-2025", which status.yaml has too'])
  editContent(contentDir, 'status', eventsOf(2025, 'Again.').slice(18), 'incidents: []')
  // Its translation becomes older than its text, and is known again when that was published.
  editContent(contentDir, 'events/2025', 'Slow answers', 'Late answers')
  assert.ok(!isKnown('events/2025.yaml', YEAR))
  assert.deepEqual(await compile(), [])
  await publish()
  assert.deepEqual(
    [isKnown('events/2025.yaml', YEAR), isKnown('th/events/2025.yaml', THAI_YEAR)],
    [true, false],
  )
  editContent(contentDir, 'th/events/2025', 'ช้า', 'สาย')
  await publish()
  assert.ok(isKnown('th/events/2025.yaml', THAI_YEAR))
})

test('an edited year is searched again, and one with an allowed text always', async (t) => {
  const { contentDir, isKnown, compile, publish } = await publishYears(t)
  editContent(contentDir, 'events/2025', '# written by hand', '# ask eve@somebody-else.org')
  const [leak = '', ...others] = await compile()
  assert.match(leak, /^events\/2025\.yaml: /)
  assert.deepEqual(others, [])
  editContent(contentDir, 'events/2025', '# ask eve@somebody-else.org', '# written')
  editContent(contentDir, 'events/2025', 'It ended.', `It ended with ${RANDOM}.`)
  writeContent(
    contentDir,
    'publishing.yaml',
    `allowedTexts:\n  - rule: random-text\n    text: ${RANDOM}\n    reason: A public test vector\n`,
  )
  await publish()
  assert.ok(!isKnown('events/2025.yaml', YEAR))
  assert.deepEqual(await compile(), [], 'the allowed text is used')
})

test('an edit that waits, a missing file and another registry version leave a year unknown', async (t) => {
  const { contentDir, releasesDir, isKnown, compile, publish } = await publishYears(t)
  editContent(contentDir, 'events/2025', 'It ended.', 'It ended at last.')
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Writing well')
  await publish(new Set(['roadmap']))
  assert.ok(!isKnown('events/2025.yaml', YEAR) && isKnown('events/2024.yaml', 'site/events/2024'))
  assert.deepEqual(await compile(), [])
  await publish()
  assert.ok(isKnown('events/2025.yaml', YEAR))
  rmSync(path.join(releasesDir, 'resources/site/events/2024'), { recursive: true })
  assert.ok(!isKnown('events/2024.yaml', 'site/events/2024'))
  assert.deepEqual(await compile(), [])
  const older = await publishYears(t, '1.0.0')
  assert.ok(!older.isKnown('events/2025.yaml', YEAR))
})

test('the status is known as it was published, and an edit by hand is parsed and searched', async (t) => {
  const { contentDir, isKnown, compile, publish } = await publishYears(t)
  const isStatusKnown = () => isKnown('status.yaml', 'status')
  assert.ok(isStatusKnown())
  assert.deepEqual(await compile(), [])
  editContent(contentDir, 'status', 'incidents: []', 'incidents: [] # ask eve@somebody-else.org')
  assert.ok(!isStatusKnown())
  const [leak = '', ...others] = await compile()
  assert.match(leak, /^status\.yaml: /)
  assert.deepEqual(others, [])
  editContent(contentDir, 'status', ' # ask eve@somebody-else.org', ' # none')
  await publish()
  assert.ok(isStatusKnown())
  assert.deepEqual(await compile(), [])
})

test('a record of translations that was changed by hand is compared with each text', async (t) => {
  const { contentDir, store, isKnown, compile, publish } = await publishYears(t)
  const record = path.join(contentDir, 'th/.translated.json')
  const published = readFileSync(record, 'utf8')
  const field = 'events/2025.incidents[slow-2025].title'
  const { translated } = JSON.parse(published) as { translated: { [field: string]: string } }
  const [, own] = translated[field]?.split(' ') ?? []
  translated[field] = `${'A'.repeat(16)} ${own}`
  writeFileSync(record, JSON.stringify({ translated }))
  assert.ok(isKnown('th/events/2025.yaml', THAI_YEAR))
  assert.deepEqual(await compile(), [])
  const known = readKnownFiles(contentDir, store)
  const { outdated } = await compileContent(contentDir, FIXTURE_NOW_MS, { known })
  assert.deepEqual(
    outdated.map((text) => text.field),
    [field],
  )
  // A publication of something else leaves the record of the known translation as it is.
  writeFileSync(record, published)
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: Writing well')
  await publish()
  assert.equal(readFileSync(record, 'utf8'), published)
  assert.ok(isKnown('th/events/2025.yaml', THAI_YEAR))
})

test('a base with files of another version, as git can merge them, leaves them unknown', async (t) => {
  const { contentDir, isKnown, compile, publish } = await publishYears(t)
  const base = path.join(contentDir, '.published.json')
  const readFiles = () =>
    (JSON.parse(readFileSync(base, 'utf8')) as { files: { [file: string]: string } }).files
  const first = readFileSync(base, 'utf8')
  const before = readFiles()['events/2025.yaml'] ?? ''
  editContent(contentDir, 'events/2025', 'It ended.', 'It ended at last.')
  await publish()
  assert.ok(isKnown('events/2025.yaml', YEAR))
  writeFileSync(base, first.replace(before, readFiles()['events/2025.yaml'] ?? ''))
  assert.ok(!isKnown('events/2025.yaml', YEAR))
  assert.deepEqual(await compile(), [])
})

test('files that other rules let pass are checked again, and known once they passed these', async (t) => {
  const { contentDir, isKnown, compile, publish } = await publishYears(t)
  const base = path.join(contentDir, '.published.json')
  const published = readFileSync(base, 'utf8')
  const { seal, hash, files } = JSON.parse(published) as { [member: string]: string }
  const sealBy = (rules: string) => sha256Base64url(JSON.stringify([hash, files, rules]))
  assert.equal(seal, sealBy(digestOfRules(ROOT)))
  writeFileSync(base, published.replace(seal ?? '', sealBy('of an older program')))
  assert.ok(!isKnown('events/2025.yaml', YEAR) && !isKnown('status.yaml', 'status'))
  assert.deepEqual(await compile(), [])
  await publish()
  assert.equal(readFileSync(base, 'utf8'), published)
})

test('rules are others with each change of a rule, a schema or a package', (t) => {
  const program = temporaryFolder(t)
  const digests = new Set<string>()
  for (const [file, text] of [
    ['src/publishing/leaks/rule.ts', 'one'],
    ['packages/contract/schema.ts', 'one'],
    ['package-lock.json', '{}'],
    ['src/publishing/leaks/rule.ts', 'another'],
    ['packages/contract/more.ts', 'one'],
    ['package-lock.json', '{ }'],
  ] as const) {
    mkdirSync(path.dirname(path.join(program, file)), { recursive: true })
    writeFileSync(path.join(program, file), text)
    if (existsSync(path.join(program, 'package-lock.json'))) digests.add(digestOfRules(program))
  }
  assert.equal(digests.size, 4)
  writeFileSync(path.join(program, 'package.json'), '{}')
  digests.add(digestOfRules(program))
  assert.equal(digests.size, 4, 'another file does not count')
})

test('what an older program stated of the years is not used, and the next publication states the files', async (t) => {
  const { contentDir, isKnown, compile, publish } = await publishYears(t)
  const base = path.join(contentDir, '.published.json')
  const { files, ...stated } = JSON.parse(readFileSync(base, 'utf8')) as { files: object }
  writeFileSync(base, JSON.stringify({ ...stated, years: { [YEAR]: 'A'.repeat(43) } }))
  assert.ok(!isKnown('events/2025.yaml', YEAR))
  assert.deepEqual(await compile(), [])
  await publish()
  assert.deepEqual((JSON.parse(readFileSync(base, 'utf8')) as { files: object }).files, files)
})
