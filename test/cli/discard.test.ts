import assert from 'node:assert/strict'
import fs, {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { HEAD, editContent, makeContent, writeContent } from '../publishing/content-fixture.ts'
import { failedWith, succeeded, svc } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const THAI = '# ไทย\nsummary: หนึ่ง\n'

const omit = (files: Readonly<Record<string, string>>, ...names: readonly string[]) =>
  Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)))

/** A published content folder, with what each of its files has. */
async function publishedContent(t: TestContext) {
  const content = makeContent(t)
  const folders = ['--content', content, '--releases', path.join(temporaryFolder(t), 'releases')]
  editContent(content, 'status', 'incidents: []', '# Newest first.\nincidents: []')
  writeContent(content, 'th/status.yaml', THAI)
  const publish = (...more: readonly string[]) =>
    svc('publish', '--note', 'N.', '--no-cards', ...folders, ...more)
  succeeded(await publish('--create'))
  const readAll = () =>
    Object.fromEntries(
      readdirSync(content, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^[^.].*\.(?:yaml|svg|md)$/.test(name))
        .map((name) => [name, readFileSync(path.join(content, name), 'utf8')]),
    )
  const discard = (...args: readonly string[]) => svc('discard', ...args, ...folders)
  /** The files that were kept, by all runs. */
  const kept = () => {
    const parent = path.join(content, '.discarded')
    const runs = existsSync(parent)
      ? readdirSync(parent).filter((each) => each !== '.gitignore')
      : []
    return runs.flatMap((run) =>
      readdirSync(path.join(parent, run), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.includes('.'))
        .map((name) => [name, readFileSync(path.join(parent, run, name), 'utf8')] as const),
    )
  }
  return { content, publish, readAll, discard, kept }
}

test('brings one resource back with its translations, and keeps what was typed', async (t) => {
  const { content, readAll, discard, kept } = await publishedContent(t)
  const before = readAll()
  editContent(content, 'status', 'name: Read API', 'name: Typed at night')
  editContent(content, 'th/status', 'หนึ่ง', 'สอง')
  editContent(content, 'roadmap', 'title: Writing', 'title: Other')
  const typed = readAll()
  const asked = failedWith(2, await discard('status'))
  assert.match(asked, /^ {4}- {5}name: Typed at night$/m)
  assert.match(asked, /^error: expected --yes, .*; nothing was discarded/m)
  assert.deepEqual(readAll(), typed)
  const out = succeeded(await discard('status', '--yes'))
  assert.match(out, /^ {4}\+ {5}name: Read API$/m)
  assert.ok(out.includes(`The discarded files are in ${content}/.discarded/`), out)
  const { 'roadmap.yaml': roadmap, ...others } = readAll()
  assert.deepEqual(others, omit(before, 'roadmap.yaml'))
  assert.equal(roadmap, typed['roadmap.yaml'])
  assert.deepEqual(
    new Map(kept()),
    new Map(['status.yaml', 'th/status.yaml'].map((name) => [name, typed[name]])),
  )
  assert.equal((await discard('--yes')).status, 0)
  assert.deepEqual(readAll(), before)
})

test('brings a folder back that cannot be published', async (t) => {
  const { content, publish, readAll, discard, kept } = await publishedContent(t)
  // Not published, and no part of an edited file.
  writeContent(content, 'th/status.yaml', `${THAI}components:\n  read-api:\n    name: TODO\n`)
  const before = readAll()
  const broken = `${before['status.yaml']}\n  typed: [at night\n`
  writeFileSync(path.join(content, 'status.yaml'), broken)
  rmSync(path.join(content, 'changelog.yaml'))
  writeContent(content, 'organization.yaml', 'name: Not finished\n')
  writeContent(content, 'zh-CN/roadmap.yaml', 'summary: 计划\n')
  assert.equal((await publish()).status, 1)
  const out = succeeded(await discard('--yes', '--json'))
  const result = JSON.parse(out) as { readonly files: readonly string[]; readonly byHand: unknown }
  assert.deepEqual(
    [result.files.toSorted(), result.byHand],
    [['changelog.yaml', 'organization.yaml', 'status.yaml', 'zh-CN/roadmap.yaml'], []],
  )
  assert.deepEqual(Object.keys(readAll()).toSorted(), Object.keys(before).toSorted())
  assert.deepEqual(
    omit(readAll(), 'status.yaml', 'changelog.yaml'),
    omit(before, 'status.yaml', 'changelog.yaml'),
  )
  assert.equal(new Map(kept()).get('status.yaml'), broken)
  const again = await publish()
  assert.match(again.out, /^Nothing to publish: VS-0001 /, again.error)
})

test('a file that cannot be read comes back in the order of the content, and keeps its permissions and first comments', async (t) => {
  const { content, readAll, discard } = await publishedContent(t)
  writeContent(content, 'roadmap.yaml', `# Ours.\n\n${readAll()['roadmap.yaml']}`)
  const file = path.join(content, 'roadmap.yaml')
  const whole = readFileSync(file, 'utf8')
  writeFileSync(file, whole.replace('\nitems:', '\n items:'))
  chmodSync(file, 0o600)
  succeeded(await discard('roadmap', '--yes'))
  const text = readFileSync(file, 'utf8')
  assert.ok(text.startsWith('# Ours.\n\n'), text)
  const membersOf = (yaml: string) => [...yaml.matchAll(/^[ -]*(\w+):/gm)].map(([, name]) => name)
  assert.deepEqual(membersOf(text), membersOf(whole))
  const run = readdirSync(path.join(content, '.discarded')).find((each) => each !== '.gitignore')
  for (const each of [file, path.join(content, '.discarded', run ?? '', 'roadmap.yaml')]) {
    assert.equal(statSync(each).mode & 0o777, 0o600, each)
  }
})

test('without edits there is nothing to discard', async (t) => {
  const { content, readAll, discard, kept } = await publishedContent(t)
  const before = readAll()
  const { status, out } = await discard('--yes')
  assert.deepEqual(
    [status, out],
    [0, `Nothing to discard: ${content} has no edits of content since VS-0001.\n`],
  )
  assert.deepEqual([readAll(), kept()], [before, []])
  assert.match(failedWith(2, await discard('statsu')), /^error: found "statsu"; .*status/)
})

test('a folder of an older version gets the newest one, and publishes on', async (t) => {
  const { content, publish, discard } = await publishedContent(t)
  const base = path.join(content, '.published.json')
  const first = readFileSync(base)
  editContent(content, 'roadmap', 'title: Writing', 'title: Second')
  assert.equal((await publish()).status, 0)
  editContent(content, 'roadmap', 'title: Second', 'title: Writing')
  writeFileSync(base, first)
  assert.match((await discard('--yes')).out, /to VS-0002:/)
  editContent(content, 'roadmap', 'title: Second', 'title: Third')
  succeeded(await publish())
})

test('nothing is discarded if it cannot be kept, or if nothing is published', async (t) => {
  const { content, readAll, discard } = await publishedContent(t)
  editContent(content, 'status', 'name: Read API', 'name: Typed at night')
  const typed = readAll()
  writeFileSync(path.join(content, '.discarded'), '')
  assert.match(failedWith(1, await discard('--yes')), /^error: E\w+: .*; nothing was discarded\n$/)
  assert.deepEqual(readAll(), typed)
  rmSync(path.join(content, '.discarded'))
  rmSync(path.join(content, '.lock'))
  mkdirSync(path.join(content, '.lock'))
  const locked = failedWith(1, await discard('--yes'))
  assert.match(locked, /^error: .*\.lock.*; nothing was discarded\n$/)
  assert.deepEqual(readAll(), typed)
  rmSync(path.join(content, '.lock'), { recursive: true })
  // A full disk.
  const open = fs.openSync
  const full = t.mock.method(fs, 'openSync', (file: string, ...rest: [string]) => {
    if (file.endsWith('.lock')) throw new Error('ENOSPC: no space left on device, write')
    return open(file, ...rest)
  })
  const refused = await discard('--yes')
  full.mock.restore()
  assert.match(refused.error, /ENOSPC: .* in .*; nothing was discarded\n$/)
  assert.deepEqual(readAll(), typed)
  const none = failedWith(
    1,
    await svc('discard', '--content', content, '--releases', temporaryFolder(t)),
  )
  assert.match(none, /^error: no version is published; nothing was discarded\n$/)
})

test('a comment that is the mistake does not stay', async (t) => {
  const { content, publish, discard } = await publishedContent(t)
  editContent(content, 'status', 'name: Read API', 'name: Read API # really')
  assert.equal((await discard('--yes')).status, 0)
  const again = await publish()
  assert.match(again.out, /^Nothing to publish: VS-0001 /, again.error)
})

test('what an import reads is named and stays', async (t) => {
  const { content, publish, discard, readAll } = await publishedContent(t)
  writeContent(content, 'changelog.yaml', `${HEAD}releasesFrom: { file: CHANGELOG.md }\n`)
  writeContent(content, 'CHANGELOG.md', '## 0.2.0 - 2026-02-01\n### Fixed\n- It works well.\n')
  assert.equal((await publish()).status, 0)
  const before = readAll()
  editContent(content, 'status', 'name: Read API', 'name: Typed at night')
  editContent(content, 'status', 'incidents: []', 'incidents: []\nunknown: field')
  const first = succeeded(await discard('--yes'))
  assert.ok(!first.includes('by hand'), first)
  assert.deepEqual(readAll(), before)
  writeContent(content, 'CHANGELOG.md', '## 0.2.0 - 2026-02-01\n### Fixed\n- It fails.\n')
  const { out } = await discard('--yes')
  assert.match(
    out,
    /^Nothing was discarded in .*\n {2}to do by hand: changelog\.yaml takes its entries from CHANGELOG\.md, which was not changed\n$/,
  )
})
