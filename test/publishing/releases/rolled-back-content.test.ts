import assert from 'node:assert/strict'
import fs, { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import type { Translations } from '@public-api/contract/snapshots/translations'
import { compileContent } from '../../../src/publishing/compile/compile-content.ts'
import { publishRelease } from '../../../src/publishing/releases/publish-release.ts'
import { redactResource } from '../../../src/publishing/releases/redact-resource.ts'
import { rollBackRelease } from '../../../src/publishing/releases/roll-back-release.ts'
import { PublishError } from '../../../src/publishing/rules/publish-error.ts'
import { openReleaseStore } from '../../../src/releases/release-store.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import {
  editContent,
  FIXTURE_NOW_MS,
  HEAD,
  makeContent,
  ORGANIZATION as PLAIN,
  writeContent,
} from '../content-fixture.ts'

const svg = (width: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 20"><path d="M0 0"/></svg>`

const ORGANIZATION = `# Whose record this is.
${PLAIN}accentColor: '#0a5a70'
logo: { file: wave.svg, alt: A wave }
`

const CHANGELOG = '## 0.2.0 - 2026-02-01\n### Fixed\n- It works well.\n'

/** A folder with everything that a rollback brings back, published as VS-0001. */
async function publishFirst(t: TestContext) {
  const contentDir = makeContent(t)
  writeContent(contentDir, 'organization.yaml', ORGANIZATION)
  writeContent(contentDir, 'wave.svg', svg(40))
  writeContent(contentDir, 'th/status.yaml', '# ไทย\nsummary: หนึ่ง\n')
  writeContent(
    contentDir,
    'th/changelog.yaml',
    'releases:\n  0.2.0:\n    changes:\n      - text: มันทำงาน\n',
  )
  editContent(contentDir, 'status', 'components:', '# Every part.\ncomponents:')
  const store = openReleaseStore(path.join(temporaryFolder(t), 'releases'))
  const common = { store, contentDir, nowMs: FIXTURE_NOW_MS, registryVersion: '1.0.0', note: 'N.' }
  const publish = (...only: readonly ('status' | 'roadmap' | 'development-queue')[]) =>
    publishRelease({ ...common, only: only.length === 0 ? undefined : new Set(only) })
  const rollBack = (snapshotId: string, ...only: readonly 'status'[]) =>
    rollBackRelease({ ...common, snapshotId, only: only.length === 0 ? undefined : new Set(only) })
  const read = (name: string) => readFileSync(path.join(contentDir, name), 'utf8')
  const digests = async () => {
    const { resources, mistakes } = await compileContent(contentDir, FIXTURE_NOW_MS)
    assert.deepEqual(mistakes, [])
    return Object.fromEntries(Array.from(resources, ([name, { digest }]) => [name, digest]))
  }
  const { entry: first } = await publish()
  return { contentDir, store, common, publish, rollBack, read, digests, first }
}

test('a rollback brings the folder along, and keeps what was not published', async (t) => {
  const { contentDir, publish, rollBack, read, digests, first } = await publishFirst(t)
  const files = ['status.yaml', 'organization.yaml', 'th/status.yaml', 'th/changelog.yaml']
  const before = files.map(read)
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong reads\n    note: Wrong.')
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: W')
  editContent(contentDir, 'organization', "'#0a5a70'", "'#70200a'")
  editContent(contentDir, 'organization', 'wave.svg', 'boat.svg')
  rmSync(path.join(contentDir, 'wave.svg'))
  writeContent(contentDir, 'boat.svg', svg(60))
  writeContent(contentDir, 'th/status.yaml', '# ไทย\nsummary: สอง\n')
  writeContent(contentDir, 'th/roadmap.yaml', 'summary: แผน\n')
  rmSync(path.join(contentDir, 'th', 'changelog.yaml'))
  await publish()
  editContent(contentDir, 'roadmap', 'title: W', 'title: Typed at night')
  const { entry, restored, warnings } = await rollBack('VS-0001')
  assert.deepEqual(entry.resources, first.resources)
  assert.deepEqual(await digests(), first.resources)
  assert.deepEqual(warnings, [])
  assert.deepEqual(restored?.byHand, [])
  assert.deepEqual(restored?.saved, ['roadmap.yaml.VS-0002.bak'])
  assert.match(read('roadmap.yaml.VS-0002.bak'), /Typed at night/)
  assert.equal(existsSync(path.join(contentDir, 'th', 'roadmap.yaml')), false)
  // Comments and order are those of the file.
  assert.deepEqual(
    files.slice(0, 3).map((name) => read(name).replace('boat.svg', 'wave.svg')),
    before.slice(0, 3),
  )
  // The next edit needs no --over.
  editContent(contentDir, 'status', 'name: Read API', 'name: Right reads')
  assert.equal((await publish()).entry.snapshotId, 'VS-0004')
})

test('a rollback leaves the lists of translations in their form, with comments', async (t) => {
  const { contentDir, publish, rollBack, read } = await publishFirst(t)
  const list = `components:
  # What answers.
  - { id: read-api, name: อ่าน, summary: ตอบ }
`
  writeContent(contentDir, 'th/status.yaml', list)
  writeContent(
    contentDir,
    'th/changelog.yaml',
    'releases:\n  - version: 0.2.0\n    changes:\n      - text: มันทำงาน\n',
  )
  await publish()
  const before = read('th/changelog.yaml')
  editContent(contentDir, 'th/status', 'อ่าน', 'อ่านผิด')
  editContent(contentDir, 'th/changelog', 'มันทำงาน', 'มันผิด')
  await publish()
  const { restored, warnings } = await rollBack('VS-0002')
  assert.deepEqual([warnings, restored?.saved], [[], []])
  assert.equal(read('th/status.yaml'), list)
  assert.equal(read('th/changelog.yaml'), before)
})

test('a rollback whose content folder cannot be written is published, and completed by the same command', async (t) => {
  const { contentDir, publish, rollBack, read, digests, first } = await publishFirst(t)
  const before = read('status.yaml')
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong reads')
  await publish()
  const rename = fs.renameSync
  const full = t.mock.method(fs, 'renameSync', (from: string, to: string) => {
    if (to.startsWith(contentDir)) throw new Error('no space left on device')
    rename(from, to)
  })
  const { outcome, entry, warnings } = await rollBack('VS-0001')
  full.mock.restore()
  assert.equal(outcome, 'published')
  assert.deepEqual(entry.resources, first.resources)
  assert.match(warnings.join(), /could not be brought to VS-0001 \(no space left on device\)/)
  assert.notEqual(read('status.yaml'), before)
  assert.equal((await rollBack('VS-0001')).outcome, 'unchanged')
  assert.equal(read('status.yaml'), before)
  assert.deepEqual(await digests(), first.resources)
})

test('a rollback of one resource leaves all others, and goes past a redaction', async (t) => {
  const { contentDir, common, publish, rollBack, digests, first } = await publishFirst(t)
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong reads')
  writeContent(contentDir, 'th/status.yaml', 'summary: สอง\n')
  editContent(contentDir, 'roadmap', 'title: Writing', 'title: W')
  const { entry: second } = await publish()
  const { entry: third } = await rollBack('VS-0001', 'status')
  assert.deepEqual(third.resources, {
    ...second.resources,
    status: first.resources['status'],
    'site/translations/th': first.resources['site/translations/th'],
  })
  assert.deepEqual(await digests(), third.resources)
  const redaction = { snapshotId: 'VS-0001', resource: 'roadmap', reason: 'A person asked.' }
  await redactResource({ ...common, ...redaction })
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong again')
  await publish()
  const { entry, warnings } = await rollBack('VS-0001')
  assert.deepEqual(entry.resources, third.resources)
  assert.deepEqual(warnings, ['roadmap is redacted in VS-0001; it stays as in VS-0004'])
  assert.deepEqual(await digests(), third.resources)
})

test('translations that were redacted stay where they translate the same text, and with what stays', async (t) => {
  const { contentDir, common, publish, rollBack, digests } = await publishFirst(t)
  const redact = (snapshotId: string, resource: string) =>
    redactResource({ ...common, snapshotId, resource, reason: 'A person asked.' })
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong reads')
  const texts = 'summary: สอง\ncomponents: { read-api: { name: ชื่อผิด } }\n'
  writeContent(contentDir, 'th/status.yaml', texts)
  await publish()
  await redact('VS-0001', 'site/translations/th')
  const { entry, warnings } = await rollBack('VS-0001')
  const overlays = () => {
    const { store } = common
    const head = JSON.parse(
      store.readVersionText(store.readVersionIds().at(-1) ?? ''),
    ) as VersionEntry
    const digest = head.resources['site/translations/th'] ?? ''
    return (JSON.parse(store.readResourceText('site/translations/th', digest)) as Translations)
      .resources
  }
  const { status, changelog } = overlays()
  // The name of the component is another one again.
  assert.deepEqual(status, { summary: 'สอง' })
  assert.notEqual(changelog, undefined)
  assert.deepEqual(warnings, [
    'site/translations/th is redacted in VS-0001; it stays as in VS-0002, where it translates the same text',
  ])
  assert.deepEqual(await digests(), entry.resources)

  // The status stays, and so does its translation.
  await redact('VS-0002', 'status')
  await rollBack('VS-0002')
  assert.deepEqual(overlays()['status'], { summary: 'สอง' })
  assert.deepEqual(overlays()['changelog'], changelog)
})

test('a translation that was older than its text stays older, whatever comes back beside it', async (t) => {
  const { contentDir, publish, rollBack, read, digests } = await publishFirst(t)
  const [summary = ''] = /^summary: .*$/m.exec(read('status.yaml')) ?? []
  editContent(contentDir, 'status', summary, 'summary: Two.')
  const { entry: second } = await publish()
  editContent(contentDir, 'status', 'name: Read API', 'name: Wrong reads')
  await publish()
  await rollBack('VS-0002')
  assert.deepEqual(await digests(), second.resources)
})

test('a publication that is refused stores nothing', async (t) => {
  const { contentDir, common, publish } = await publishFirst(t)
  const files = () => common.store.listEntries().map(({ name }) => name)
  writeContent(contentDir, 'th/status.yaml', 'summary: สอง\n')
  await publish()
  const redaction = { snapshotId: 'VS-0001', resource: 'site/translations/th', reason: 'R.' }
  await redactResource({ ...common, ...redaction })
  const before = files()
  editContent(contentDir, 'status', 'name: Read API', 'name: Private words')
  writeContent(contentDir, 'th/status.yaml', '# ไทย\nsummary: หนึ่ง\n')
  await assert.rejects(publish(), /was redacted with this content/)
  assert.deepEqual(files(), before)
})

test('what a rollback cannot bring back is named', async (t) => {
  const { contentDir, publish, rollBack, read } = await publishFirst(t)
  writeContent(contentDir, 'changelog.yaml', `${HEAD}releasesFrom: { file: CHANGELOG.md }\n`)
  writeContent(contentDir, 'CHANGELOG.md', CHANGELOG)
  await publish()
  const { restored } = await rollBack('VS-0001')
  assert.deepEqual(restored?.byHand, [
    'changelog.yaml takes its entries from CHANGELOG.md, which was not changed',
  ])
  assert.equal(read('CHANGELOG.md'), CHANGELOG)
  // A folder of another version is not touched.
  rmSync(path.join(contentDir, '.published.json'))
  const files = readdirSync(contentDir, { recursive: true, encoding: 'utf8' }).toSorted()
  const other = await rollBack('VS-0002')
  assert.match(other.warnings.join(), /is not based on VS-0003 and was not changed/)
  assert.deepEqual(readdirSync(contentDir, { recursive: true, encoding: 'utf8' }).toSorted(), files)
})

test('publishes one resource with its translations, and names the other edits', async (t) => {
  const { contentDir, publish, digests, first } = await publishFirst(t)
  editContent(contentDir, 'status', 'name: Read API', 'name: Reads')
  writeContent(contentDir, 'th/status.yaml', 'summary: สอง\n')
  editContent(contentDir, 'roadmap', 'id: reading', 'id: reads')
  editContent(contentDir, 'roadmap', 'dependsOn: [reading]', 'dependsOn: [reads]')
  editContent(contentDir, 'development-queue', 'roadmapItem: reading', 'roadmapItem: reads')
  const { entry, warnings } = await publish('status')
  const wanted = await digests()
  assert.deepEqual(entry.resources, {
    ...wanted,
    roadmap: first.resources['roadmap'],
    'development-queue': first.resources['development-queue'],
  })
  assert.deepEqual(warnings, [
    `${contentDir} has edits that are not published: development-queue, roadmap`,
  ])
  // Half of an edit would contradict the rest of the version.
  await assert.rejects(publish('development-queue'), (error) => {
    assert.ok(error instanceof PublishError)
    assert.match(error.message, /roadmapItem: found a reference to "reads", expected /)
    return true
  })
  assert.deepEqual((await publish('development-queue', 'roadmap')).entry.resources, wanted)
})
