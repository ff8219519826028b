import assert from 'node:assert/strict'
import { chmodSync, cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { compileMoved, planMove } from '../../../src/publishing/editing/move-aged-events.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { rollBackRelease } from '../../../src/publishing/releases/roll-back-release.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { editContent, FIXTURE_NOW_MS, makeContent, writeContent } from '../content-fixture.ts'

const DAY_MS = 86_400_000
const dayAt = (daysAgo: number): string =>
  new Date(FIXTURE_NOW_MS - daysAgo * DAY_MS).toISOString().replace(/\.\d+/, '')

/** Incidents that ended this many days ago, each with a comment above, inside and beside it. */
const incidents = (days: readonly number[], indent: string): string =>
  days
    .map((ago) =>
      [
        `# above ${ago}`,
        `- id: slow-${ago}`,
        '  title: Slow answers',
        '  state: resolved',
        `  impact: minor # beside ${ago}`,
        `  startedAt: ${dayAt(ago + 1)}`,
        `  resolvedAt: ${dayAt(ago)}`,
        '  components: [read-api]',
        '  updates:',
        `    # inside ${ago}`,
        `    - at: ${dayAt(ago)}`,
        '      state: resolved',
        '      text: >-',
        `        It ended after`,
        '        # this is text,',
        `        ${ago} days ago.`,
      ]
        .map((line) => indent + line)
        .join('\n'),
    )
    .join('\n')

/** 24 that ended lately, and five that have aged, of two years. */
const DAYS = [...Array.from({ length: 24 }, (_, index) => index * 3 + 1), 120, 160, 170, 500, 510]
const AGED = DAYS.slice(-5)
const idsOf = (data: unknown): readonly string[] =>
  (data as { incidents?: readonly { id: string }[] }).incidents?.map(({ id }) => id) ?? []

function writeFolder(t: TestContext, indent: string) {
  const contentDir = makeContent(t)
  editContent(
    contentDir,
    'status',
    'incidents: []',
    `incidents: # newest first\n${incidents(DAYS, indent)}`,
  )
  editContent(contentDir, 'status', '2026-02-01T00:00:00Z', dayAt(0))
  // As a list, and as a map by id.
  const translated = DAYS.map((ago) => `  # th ${ago}\n  - id: slow-${ago}\n    title: ช้า ${ago}`)
  writeContent(contentDir, 'th/status.yaml', `incidents:\n${translated.join('\n')}\n`)
  const mapped = DAYS.map((ago) => `  slow-${ago}: { title: 慢 ${ago} }`)
  writeContent(contentDir, 'zh-CN/status.yaml', `incidents:\n${mapped.join('\n')}\n`)
  const store = openReleaseStore(path.join(temporaryFolder(t), 'releases'))
  const common = { store, contentDir, nowMs: FIXTURE_NOW_MS, registryVersion: '1.0.0', note: 'N.' }
  const read = (name: string) => readFileSync(path.join(contentDir, name), 'utf8')
  const resource = (name: string): unknown => {
    const id = store.readVersionIds().at(-1) ?? ''
    const { resources } = JSON.parse(store.readVersionText(id)) as {
      resources: { [name: string]: string }
    }
    const digest = resources[name]
    return digest === undefined ? undefined : JSON.parse(store.readResourceText(name, digest))
  }
  return { contentDir, store, common, read, resource }
}

const NAMES = ['status.yaml', 'events/2025.yaml', 'events/2024.yaml']
/** Every line that says something, without its indentation. */
const linesOf = (texts: readonly string[]): readonly string[] =>
  texts
    .flatMap((text) => text.split('\n').map((line) => line.trim()))
    .filter((line) => line !== '' && line !== 'incidents:' && !line.includes('$schema='))
    .toSorted()

test('publishing moves what has aged, with comments and translations, and says so', async (t) => {
  for (const indent of ['  ', '']) {
    const { contentDir, common, read, resource, store } = writeFolder(t, indent)
    const before = Object.fromEntries(
      ['', 'th/', 'zh-CN/'].map((folder) => [folder, linesOf([read(`${folder}status.yaml`)])]),
    )
    const { moved, warnings } = await publishRelease(common)
    assert.deepEqual(moved, [
      '3 incidents of September to October went to events/2025.yaml',
      '2 incidents of October went to events/2024.yaml',
    ])
    assert.deepEqual(warnings, [], JSON.stringify(warnings))
    for (const folder of ['', 'th/', 'zh-CN/']) {
      assert.deepEqual(linesOf(NAMES.map((name) => read(folder + name))), before[folder], folder)
    }
    assert.deepEqual(
      idsOf(resource('status')),
      DAYS.slice(0, 24).map((ago) => `slow-${ago}`),
    )
    assert.deepEqual(idsOf(resource('site/events/2025')), ['slow-120', 'slow-160', 'slow-170'])
    const thai = resource('site/translations/th/events/2024') as {
      resources: { [name: string]: { incidents: { [id: string]: { title: string } } } }
    }
    assert.equal(thai.resources['site/events/2024']?.incidents['slow-510']?.title, 'ช้า 510')
    // Nothing changed since, and a rollback of one resource brings the years along.
    assert.equal((await publishRelease(common)).outcome, 'unchanged')
    editContent(contentDir, 'status', 'summary: What it is.', 'summary: Another.')
    const { moved: none } = await publishRelease(common)
    assert.deepEqual(none, [])
    await rollBackRelease({ ...common, snapshotId: 'VS-0001', only: new Set(['status'] as const) })
    assert.deepEqual(idsOf(resource('site/events/2024')), ['slow-500', 'slow-510'])
    assert.equal((await compileContent(contentDir, FIXTURE_NOW_MS)).mistakes.length, 0)
    assert.equal(store.readVersionIds().length, 3)
  }
})

test('an older translation stays outdated where it moves, and a later move is inserted in order', async (t) => {
  const { contentDir, common, read, resource } = writeFolder(t, '  ')
  const early = FIXTURE_NOW_MS - 20 * DAY_MS
  editContent(contentDir, 'status', dayAt(0), dayAt(20))
  editContent(contentDir, 'status', incidents(DAYS.slice(0, 9), '  '), '')
  for (const folder of ['th', 'zh-CN']) rmSync(path.join(contentDir, folder), { recursive: true })
  const thai = DAYS.slice(9).map((ago) => `  slow-${ago}: { title: ช้า }`)
  writeContent(contentDir, 'th/status.yaml', `incidents:\n${thai.join('\n')}\n`)
  // 20 have ended, which the status lists however old they are.
  assert.deepEqual((await publishRelease({ ...common, nowMs: early })).moved, [])
  const changed = read('status.yaml')
    .replace(dayAt(20), dayAt(0))
    .replace(/(id: slow-170\n +title: )Slow/, '$1Very slow')
  writeContent(
    contentDir,
    'status.yaml',
    changed.replace(
      'incidents: # newest first',
      `incidents:\n${incidents(DAYS.slice(0, 9), '  ')}`,
    ),
  )
  const { moved } = await publishRelease(common)
  assert.equal(moved?.length, 2)
  const translations = resource('site/translations/th/events/2025') as {
    resources: { 'site/events/2025': { incidents: object } }
  }
  const shown = Object.keys(translations.resources['site/events/2025'].incidents)
  assert.deepEqual(shown.toSorted(), ['slow-120', 'slow-160'], 'the outdated title is not shown')
  const later = { ...common, nowMs: FIXTURE_NOW_MS + 80 * DAY_MS }
  editContent(contentDir, 'status', 'summary: What it is.', 'summary: Another.')
  await publishRelease(later)
  const starts = read('events/2025.yaml').match(/(?<=startedAt: ).*/g) ?? []
  assert.deepEqual(starts, starts.toSorted().toReversed())
})

test('a killed move is completed by the next publication, after each of its files', async (t) => {
  const { contentDir, common } = writeFolder(t, '  ')
  const whole = temporaryFolder(t)
  cpSync(contentDir, whole, { recursive: true })
  await publishRelease({ ...common, contentDir: whole })
  const files = ['', 'th/', 'zh-CN/'].flatMap((folder) =>
    ['events/2025.yaml', 'events/2024.yaml', 'status.yaml'].map((name) => folder + name),
  )
  const order = [...files.filter((name) => name !== 'status.yaml'), 'status.yaml']
  for (const count of order.keys()) {
    const folder = temporaryFolder(t)
    cpSync(contentDir, folder, { recursive: true })
    for (const name of order.slice(0, count))
      cpSync(path.join(whole, name), path.join(folder, name))
    // The other commands say what the publication does.
    assert.deepEqual((await compileMoved(folder, FIXTURE_NOW_MS)).mistakes, [], `${count} files`)
    const store = openReleaseStore(path.join(temporaryFolder(t), 'releases'))
    await publishRelease({ ...common, store, contentDir: folder })
    for (const name of order) {
      assert.equal(
        readFileSync(path.join(folder, name), 'utf8'),
        readFileSync(path.join(whole, name), 'utf8'),
        `${name} after ${count} files`,
      )
    }
  }
})

test('an event in both places, of another year or still open is a mistake of the file of its year', async (t) => {
  const { contentDir, common } = writeFolder(t, '  ')
  await publishRelease(common)
  const file = (text: string) => writeContent(contentDir, 'events/2025.yaml', text)
  const mistakes = async () =>
    (await compileContent(contentDir, FIXTURE_NOW_MS)).mistakes
      .filter((each) => each.file.endsWith('2025.yaml'))
      .map(({ field, expected }) => `${field}: ${expected}`)
  const text = readFileSync(path.join(contentDir, 'events/2025.yaml'), 'utf8')
  file(text.replace('slow-120', 'slow-1'))
  assert.match((await mistakes())[0] ?? '', /^incidents\[0\]\.id: it here or in status.yaml, once/)
  file(text.replace(`startedAt: ${dayAt(121)}`, 'startedAt: 2024-12-31T00:00:00Z'))
  assert.match((await mistakes()).join('\n'), /startedAt: a time in 2025/)
  file(text.replace('  state: resolved\n', '  state: monitoring\n'))
  assert.match((await mistakes()).join('\n'), /state: one that has ended/)
})

test('an event that says something else in the file of its year is refused, and none of both is lost', async (t) => {
  const { contentDir, common, read } = writeFolder(t, '  ')
  const before = read('status.yaml')
  await publishRelease(common)
  for (const folder of ['th', 'zh-CN']) rmSync(path.join(contentDir, folder), { recursive: true })
  const edited = before.replace(/(id: slow-120\n +title: ).*/, '$1Other words')
  writeContent(contentDir, 'status.yaml', edited)
  await assert.rejects(publishRelease(common), /the content has 5 mistakes/)
  assert.equal(read('status.yaml'), edited)
  assert.equal((await compileMoved(contentDir, FIXTURE_NOW_MS)).mistakes.length, 5)
})

test('a list that is not on lines of its own stays, with a warning', async (t) => {
  const { contentDir, common } = writeFolder(t, '  ')
  for (const folder of ['th', 'zh-CN']) rmSync(path.join(contentDir, folder), { recursive: true })
  const status = readFileSync(path.join(contentDir, 'status.yaml'), 'utf8')
  const { resources } = await compileContent(contentDir, FIXTURE_NOW_MS)
  const { incidents: items } = JSON.parse(resources.get('status')?.text ?? '') as {
    incidents: unknown
  }
  const [head = ''] = status.split('incidents:')
  writeContent(contentDir, 'status.yaml', `${head}incidents: ${JSON.stringify(items)}\n`)
  const { moved, warnings } = await publishRelease(common)
  assert.deepEqual(moved, [])
  assert.match(
    warnings.join('\n'),
    /stays in status\.yaml: expected each item of incidents on lines/,
  )
  assert.equal(existsSync(path.join(contentDir, 'events')), false)
  assert.ok(planMove(contentDir, FIXTURE_NOW_MS) !== undefined)
  assert.equal(AGED.length, 5)
})

test('the group that shares the content folder writes the events of past years too', async (t) => {
  const { contentDir, common } = writeFolder(t, '  ')
  chmodSync(contentDir, 0o2775)
  await publishRelease(common)
  const modeOf = (name: string) => statSync(path.join(contentDir, name)).mode & 0o7777
  assert.deepEqual([modeOf('events'), modeOf('events/2025.yaml')], [0o2775, 0o664])
})
