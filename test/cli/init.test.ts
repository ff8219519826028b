import assert from 'node:assert/strict'
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { SNAPSHOT_NAMES } from '@public-api/contract/snapshots/snapshot-schemas'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { argsOf, failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

function replacePlaceholders(contentDir: string): void {
  for (const name of readdirSync(contentDir).filter((each) => each.endsWith('.yaml'))) {
    const file = path.join(contentDir, name)
    const text = readFileSync(file, 'utf8').replaceAll('TODO ', '')
    writeFileSync(file, text.replaceAll('example.org', 'tides.example'))
  }
}

/** Publishes the folder `ours` for the first time. */
const PUBLISH_OURS = [
  ...argsOf('publish --no-cards --note One. --content ours --releases releases --create'),
]

test('an init whose disk is full is completed by the next one', async (t) => {
  const folder = temporaryFolder(t)
  const link = fs.linkSync
  const full = t.mock.method(fs, 'linkSync', (from: string, to: string) => {
    if (to.includes(`${path.sep}th${path.sep}`)) throw new Error('no space left on device')
    link(from, to)
  })
  const command = argsOf('init ours --locale th')
  assert.match((await svcIn(folder, command)).error, /th.*no space left on device/)
  full.mock.restore()
  succeeded(await svcIn(folder, command))
})

test('init, check and publish: from nothing to a first version', async (t) => {
  const folder = temporaryFolder(t)
  const svc = (...args: readonly string[]) => svcIn(folder, args)
  const created = succeeded(await svc('init', 'ours'))
  assert.match(
    created,
    /^Created ours with status\.yaml, .*\nReplace every text that starts with TODO, and the addresses of example\.org\. Then run: svc check --content ours\n$/,
  )
  for (const file of ['wallet.yaml', 'early-access.yaml'])
    assert.ok(!existsSync(path.join(folder, 'ours', file)), 'no wallet, and the waitlist is open')
  assert.equal(readFileSync(path.join(folder, 'ours', '.gitattributes'), 'utf8'), '* -text\n')
  assert.ok(
    existsSync(path.join(folder, 'ours', '.schemas', 'translations', 'wallet', 'security.json')),
  )

  const placeholders = failedWith(1, await svc('check', '--content', 'ours'))
  assert.match(
    placeholders,
    /organization\.yaml:\d+:\d+: url: found the placeholder "https:\/\/example\.org", expected the organization’s own\n/,
  )
  replacePlaceholders(path.join(folder, 'ours'))
  // Every snapshot, and the organization.
  const resources = SNAPSHOT_NAMES.length + 1
  assert.deepEqual(await svc('check', '--content', 'ours'), {
    status: 0,
    out: `ours has no mistakes: ${resources} resources.\n`,
    error: '',
  })
  mkdirSync(path.join(folder, 'ours', 'th'))
  writeFileSync(path.join(folder, 'ours', 'th', 'roadmap.yaml'), 'summary: แผน\n')
  assert.match(
    (await svc('check', '--content', 'ours')).out,
    new RegExp(
      `^ours has no mistakes: ${resources + 1} resources\\.\\n {2}th: 1 of \\d+ texts translated\\n$`,
    ),
  )

  const published = await svc(...PUBLISH_OURS)
  assert.match(published.out, /^Published VS-0001 in releases /, published.error)
  assert.match(
    (await svc('audit', 'releases')).out,
    new RegExp(`is intact up to VS-0001: 1 version, ${resources + 1} resources`),
  )
})

test('check names each mistake, and exits with 1', async (t) => {
  const folder = temporaryFolder(t)
  const svc = (...args: readonly string[]) => svcIn(folder, args)
  await svc('init', 'ours')
  replacePlaceholders(path.join(folder, 'ours'))
  const file = path.join(folder, 'ours', 'status.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('name: Read API', 'name: Read: API'))
  const { status, out, error } = await svc('check', '--content', 'ours')
  assert.equal(status, 1)
  assert.equal(out, '')
  assert.match(
    error,
    /^error: ours has 1 mistake\nours\/status\.yaml:\d+:11: found a text with a colon and a space in it, without quotes, expected the text in quotes\n$/,
  )
  const json = await svc('check', '--content', 'ours', '--json')
  assert.partialDeepStrictEqual(JSON.parse(json.out), {
    ok: false,
    code: 'CONTENT',
    mistakes: [{ column: 11 }],
  })
})

test('init refuses a folder with anything but dot files', async (t) => {
  const folder = temporaryFolder(t)
  const svc = (...args: readonly string[]) => svcIn(folder, args)
  mkdirSync(path.join(folder, 'used'))
  writeFileSync(path.join(folder, 'used', 'notes.txt'), 'x')
  const refused = failedWith(2, await svc('init', 'used'))
  assert.match(refused, /^error: used is not empty: found "notes\.txt", expected an empty folder/)
  assert.deepEqual(readdirSync(path.join(folder, 'used')), ['notes.txt'])
  writeFileSync(path.join(folder, 'file'), 'x')
  assert.equal((await svc('init', 'file')).status, 2)
  assert.equal((await svc('init')).status, 2)

  mkdirSync(path.join(folder, 'fresh'))
  writeFileSync(path.join(folder, 'fresh', '.gitignore'), 'x')
  assert.equal((await svc('init', 'fresh')).status, 0)
  assert.equal((await svc('init', 'fresh')).status, 2)

  // After an upgrade, only the schemas are written again.
  const schema = path.join(folder, 'fresh', '.schemas', 'status.json')
  const before = readFileSync(schema, 'utf8')
  writeFileSync(schema, '{}')
  writeFileSync(path.join(folder, 'fresh', 'status.yaml'), 'ours')
  assert.equal((await svc('init', '--schemas', 'fresh')).status, 0)
  assert.equal(readFileSync(schema, 'utf8'), before)
  assert.equal(readFileSync(path.join(folder, 'fresh', 'status.yaml'), 'utf8'), 'ours')
  assert.equal((await svc('init', '--schemas', 'missing')).status, 2)
})

test('init --locale makes the translations to fill in, which prevent nothing until then', async (t) => {
  const folder = temporaryFolder(t)
  const svc = (...args: readonly string[]) => svcIn(folder, args)
  const overlay = (name: string) => path.join(folder, 'ours', 'th', name)
  const created = succeeded(await svc('init', 'ours', '--locale', 'th'))
  assert.match(created, /th\/status\.yaml, .*\n.*\n.*svc translations th --content ours\n$/)
  assert.match(
    readFileSync(overlay('status.yaml'), 'utf8'),
    /^# yaml-language-server: \$schema=\.\.\/\.schemas\/translations\/status\.json\n[^]*^components:\n {2}read-api:\n {4}name: TODO Read API$/m,
  )
  assert.doesNotMatch((await svc('check', '--content', 'ours')).error, /ours\/th|wallet/)
  replacePlaceholders(path.join(folder, 'ours'))
  // An item that the content does not keep: what is not translated needs no item.
  const roadmap = path.join(folder, 'ours', 'roadmap.yaml')
  writeFileSync(roadmap, readFileSync(roadmap, 'utf8').replace(/(?<=^ {2}- id: ).*/m, 'another'))
  const checked = await svc('check', '--content', 'ours')
  assert.deepEqual([checked.status, checked.error], [0, ''])
  const missing = async () =>
    Number(
      /, (\d+) missing in /.exec((await svc('translations', 'th', '--content', 'ours')).out)?.[1],
    )
  const before = await missing()
  assert.ok(before > 10)
  const status = readFileSync(overlay('status.yaml'), 'utf8')
  writeFileSync(overlay('status.yaml'), status.replace('TODO Read API', 'อ่าน'))
  assert.equal(await missing(), before - 1)
  assert.match(
    (await svc('check', '--content', 'ours')).out,
    /^ {2}th: 1 of \d+ texts translated$/m,
  )
  assert.equal((await svc(...PUBLISH_OURS)).status, 0)
  assert.match((await svc('find', 'TODO', '--releases', 'releases')).out, /^Not found in releases/)
})

test('init --locale in a folder with content lists its texts, and overwrites nothing', async (t) => {
  const folder = temporaryFolder(t)
  const content = makeContent(t)
  const svc = (...args: readonly string[]) => svcIn(folder, args)
  const init = () => svc('init', content, '--locale', 'zh-CN')
  editContent(content, 'roadmap', 'horizon: later', 'horizon: latter')
  assert.match(failedWith(1, await init()), /roadmap\.yaml:\d+:/)
  assert.ok(!existsSync(path.join(content, 'zh-CN')))
  editContent(content, 'roadmap', 'horizon: latter', 'horizon: later')
  assert.doesNotMatch(succeeded(await init()), /TODO/)
  const changelog = readFileSync(path.join(content, 'zh-CN', 'changelog.yaml'), 'utf8')
  assert.match(changelog, /^ {2}0\.2\.0:\n {4}changes:\n {6}- text: TODO It works\.$/m)
  assert.equal((await svc('check', '--content', content)).status, 0)
  writeFileSync(
    path.join(content, 'zh-CN', 'changelog.yaml'),
    changelog.replace('TODO It works.', '可用。'),
  )
  assert.match(failedWith(2, await init()), /zh-CN has every file; see svc translations zh-CN/)
  rmSync(path.join(content, 'zh-CN', 'roadmap.yaml'))
  assert.match((await init()).out, /^Created \S+ with zh-CN\/roadmap\.yaml\.$/m)
  assert.match((await svc('check', '--content', content)).out, /^ {2}zh-CN: 1 of /m)
  assert.equal((await svc('init', 'new', '--locale', 'en')).status, 2)
  assert.equal((await svc('init', content, '--locale', 'th', '--schemas')).status, 2)
  assert.deepEqual(readdirSync(folder), [])
})
