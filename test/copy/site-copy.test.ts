import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { verifyCopyProof } from '@public-api/client-internal/copies/copy-proof'
import type { VersionEntry } from '@public-api/contract/history/version-chain'
import { withCopyFolder } from '../../src/copy/write-copy.ts'
import { openReleaseStore } from '../../src/releases/release-store.ts'
import { loadReleases } from '../../src/service/releases/releases.ts'
import { key } from '../client/scripted-client.ts'
import { folderWithLog, forkOfLog, rollBackTo } from '../support/logged-releases.ts'
import { silentOrigin } from '../support/loopback-server.ts'
import { releasesOf } from '../support/made-content.ts'
import { failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { runApp } from '../support/running-app.ts'

const ORIGIN = 'https://api.example.org'

/** A releases folder with a log, and the command that copies it. */
async function prepare(t: TestContext, versions = 3) {
  const { folder, releases } = await folderWithLog(t, versions)
  const copy = path.join(folder, 'copy')
  const env = { SVC_BASE_URL: ORIGIN }
  return {
    folder,
    releases,
    copy,
    write: (...options: readonly string[]) =>
      svcIn(folder, ['site', 'copy', '--json', ...options], { env }),
  }
}

/** Every file of a folder with its content and the time of its last change. */
function filesOf(
  folder: string,
): ReadonlyMap<string, readonly [content: string, changedMs: number]> {
  return new Map(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const file = path.join(entry.parentPath, entry.name)
        const content = fs.readFileSync(file, 'latin1')
        return [path.relative(folder, file), [content, fs.statSync(file).mtimeMs]] as const
      }),
  )
}

const changed = (
  before: ReturnType<typeof filesOf>,
  after: ReturnType<typeof filesOf>,
): readonly string[] =>
  [...after].flatMap(([file, [, ms]]) => (before.get(file)?.[1] === ms ? [] : [file])).toSorted()

test('writes what the service serves, in a layout that static hosts serve', async (t) => {
  const { releases, copy, write } = await prepare(t)
  const out = succeeded(await write('--pin', key.keyId, '--base-url', 'https://status.example.net'))
  const report = JSON.parse(out) as { written: number; files: number; snapshotId: string }
  assert.equal(report.snapshotId, 'VS-0003')
  assert.equal(report.written, report.files)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  for (const [target, file] of [
    ['/archive/versions/VS-0002.json', 'archive/versions/VS-0002.json'],
    ['/archive/versions.json', 'archive/versions.json'],
    ['/log/checkpoint', 'log/checkpoint'],
    ['/log/policy', 'log/policy'],
    ['/log/tile/0/000.p/3', 'log/tile/0/000.p/3'],
    ['/badge.svg', 'badge.svg'],
  ] as const) {
    const served = Buffer.from(await (await app.fetch(target)).arrayBuffer())
    assert.ok(fs.readFileSync(path.join(copy, file)).equals(served), file)
  }
  for (const file of [
    'index.html',
    'en/index.html',
    'en/index.md',
    'th/status/index.html',
    'zh-CN/status.md',
    'en/feed.atom',
    'th/status/components/read-api.atom',
    'en/maintenance.ics',
    'en/history/VS-0001/index.html',
    'en/history/VS-0001.md',
    'statuspage/api/v2/summary.json',
    'api/v2/summary.json',
    'serve.json',
    '.well-known/api-catalog',
    'sitemap.xml',
    'sitemap-pages.xml',
    'robots.txt',
    '404.html',
    '_headers',
    '.nojekyll',
  ]) {
    assert.ok(fs.existsSync(path.join(copy, file)), file)
  }
  const page = fs.readFileSync(path.join(copy, 'en/status/index.html'), 'utf8')
  assert.match(page, /Copy of\s+<a href="https:\/\/api\.example\.org\/en\/status"/)
  assert.ok(page.includes(`data-key-id="${key.keyId}"`))
  const twin = fs.readFileSync(path.join(copy, 'th/status.md'), 'utf8')
  assert.match(
    twin,
    /^.*\[https:\/\/api\.example\.org\]\(https:\/\/api\.example\.org\/th\/status\)/,
  )
  assert.match(twin, /\]\(https:\/\/status\.example\.net\/th\/[a-z0-9/-]+\.md\)/)
  assert.match(
    fs.readFileSync(path.join(copy, 'en/history/VS-0001.md'), 'utf8'),
    /- Version: \[`VS-0001`\]/,
  )
  // Data leads to the file of the copy, and what the copy does not have to the service.
  const [, shown = ''] = /<a href="\/([^"]+)" data-resource="status"/.exec(page) ?? []
  assert.ok(fs.existsSync(path.join(copy, shown)), shown)
  assert.match(page, /href="https:\/\/api\.example\.org\/api\/v1/)
  assert.doesNotMatch(page, /href="\/api\//)
  for (const file of filesOf(copy).keys()) {
    if (!file.endsWith('.html')) continue
    assert.match(
      fs.readFileSync(path.join(copy, file), 'utf8'),
      /https:\/\/api\.example\.org|refresh/,
    )
  }
})

test('a copy made again from the archive of a copy is the same, so a changed page is found', async (t) => {
  const { folder, copy, write } = await prepare(t)
  assert.equal((await write('--pin', key.keyId)).status, 0)
  const [releases, again] = [path.join(folder, 'saved'), path.join(folder, 'again')]
  fs.cpSync(path.join(copy, 'archive'), releases, { recursive: true })
  fs.cpSync(path.join(copy, 'log'), path.join(releases, 'log'), { recursive: true })
  const [origin] = fs.readFileSync(path.join(copy, 'log/checkpoint'), 'utf8').split('\n')
  fs.writeFileSync(path.join(releases, 'log/origin'), `${origin}\n`)
  fs.appendFileSync(path.join(copy, 'en/status/index.html'), 'changed')
  const args = ['site', again, '--releases', releases, '--pin', key.keyId]
  succeeded(await svcIn(folder, args, { env: { SVC_BASE_URL: ORIGIN } }))
  const contents = (of: string) =>
    new Map([...filesOf(of)].map(([file, [content]]) => [file, content]))
  const [saved, made] = [contents(copy), contents(again)]
  assert.deepEqual([...made.keys()].toSorted(), [...saved.keys()].toSorted())
  assert.deepEqual(
    [...made.keys()].filter((file) => made.get(file) !== saved.get(file)),
    ['en/status/index.html'],
  )
})

test('a second run writes nothing, and a publication only what it changed', async (t) => {
  const { folder, releases, copy, write } = await prepare(t)
  assert.equal((await write()).status, 0)
  const first = filesOf(copy)
  const again = await write()
  assert.equal((JSON.parse(again.out) as { written: number }).written, 0)
  assert.deepEqual(filesOf(copy), first)
  // It reads no version but the newest, so a long history costs nothing.
  const oldest = path.join(releases, 'versions', 'VS-0001.json')
  const text = fs.readFileSync(oldest)
  fs.writeFileSync(oldest, 'null')
  assert.equal((await write()).status, 0)
  assert.deepEqual(filesOf(copy), first)
  assert.equal((await write('--base-url', 'https://status.example.net')).status, 1)
  fs.writeFileSync(oldest, text)
  assert.equal((await write('--base-url', 'https://status.example.net')).status, 0)
  assert.match(fs.readFileSync(path.join(copy, 'en/feed.atom'), 'utf8'), /status\.example\.net/)
  assert.equal((await write()).status, 0)
  const beforePublication = filesOf(copy)

  succeeded(await rollBackTo(folder, 'VS-0001', 'Back.'))
  assert.equal((await write()).status, 0)
  const files = changed(beforePublication, filesOf(copy))
  assert.ok(files.includes('archive/versions/VS-0004.json'))
  assert.ok(files.includes('en/status/index.html'))
  // The page of an older version never changes, but for the newest one, which gains a neighbor.
  assert.deepEqual(
    files.filter((file) => file.startsWith('en/history/VS-')),
    [
      'en/history/VS-0003.md',
      'en/history/VS-0003/index.html',
      'en/history/VS-0004.md',
      'en/history/VS-0004/index.html',
    ],
  )
  assert.ok(
    !fs.existsSync(path.join(copy, 'log/tile/0/000.p/3')),
    'a partial tile of the smaller tree',
  )
})

test('older releases, and those of another history, do not replace a copy', async (t) => {
  const { folder, releases, copy, write } = await prepare(t)
  assert.equal((await write()).status, 0)
  const first = filesOf(copy)
  const writeFrom = async (from: string) => {
    const args = ['site', copy, '--releases', from]
    const error = failedWith(1, await svcIn(folder, args, { env: { SVC_BASE_URL: ORIGIN } }))
    assert.deepEqual(filesOf(copy), first)
    return error
  }
  const older = path.join(folder, 'older')
  fs.cpSync(releases, older, { recursive: true })
  fs.rmSync(path.join(older, 'versions', 'VS-0003.json'))
  fs.rmSync(path.join(older, 'log'), { recursive: true })
  assert.match(await writeFrom(older), /the copy has VS-0003 .* ends with VS-0002; expected/)
  const other = await forkOfLog(t, folder, 4)
  assert.match(await writeFrom(other), /has another VS-0003; expected/)
})

test('leaves the copy as it was if a run ends early, and the next run completes it', async (t) => {
  const { folder, releases, copy, write } = await prepare(t)
  assert.equal((await write()).status, 0)
  const before = filesOf(copy)
  assert.equal((await rollBackTo(folder, 'VS-0001', 'Back.')).status, 0)
  const { resources } = JSON.parse(
    fs.readFileSync(path.join(releases, 'versions', 'VS-0003.json'), 'utf8'),
  ) as VersionEntry
  // One that the newest version has, and one of an older version, which the record of the status needs.
  for (const name of ['roadmap', 'status']) {
    const damaged = path.join(releases, 'resources', name, `${resources[name]}.json`)
    const text = fs.readFileSync(damaged)
    fs.writeFileSync(damaged, 'null')
    assert.match(failedWith(1, await write()), new RegExp(`${name}.*the copy is unchanged`))
    assert.deepEqual(filesOf(copy), before)
    fs.writeFileSync(damaged, text)
  }
  // What a killed run leaves: files that were not moved yet.
  fs.mkdirSync(path.join(copy, '.staging'))
  fs.writeFileSync(path.join(copy, '.staging', '0'), 'half')
  assert.equal((await write()).status, 0)
  assert.ok(!fs.existsSync(path.join(copy, '.staging')))
  assert.ok(fs.existsSync(path.join(copy, 'archive/versions/VS-0004.json')))
})

test('one run at a time writes a folder, and the other one names it', async (t) => {
  const { copy, write } = await prepare(t, 1)
  const refused = failedWith(1, await withCopyFolder(copy, () => write()))
  assert.match(refused, new RegExp(`process ${process.pid} writes \\S+copy at the moment`))
  assert.equal((await write()).status, 0)
  // Without its list, the folder is still one of svc site.
  fs.rmSync(path.join(copy, 'site.json'))
  succeeded(await write())
  assert.equal(fs.existsSync(path.join(copy, '.site.lock.pid')), false)
})

test('refuses a folder of other files, an unknown service and a URL with a path', async (t) => {
  const { folder, copy, write } = await prepare(t, 1)
  fs.mkdirSync(copy)
  fs.writeFileSync(path.join(copy, 'mine.html'), 'mine')
  const foreign = failedWith(1, await write())
  assert.match(
    foreign,
    /found "mine.html", expected an empty folder, or one that svc site wrote before/,
  )
  assert.deepEqual(fs.readdirSync(copy), ['mine.html'])
  assert.match(failedWith(2, await svcIn(folder, ['site', 'other'])), /--now URL or SVC_BASE_URL/)
  assert.equal((await write('--base-url', 'https://pages.example.org/project')).status, 2)
})

test('now.json proves the newest version, and stays as it was while the service is away', async (t) => {
  const { folder, releases, copy, write } = await prepare(t)
  const app = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  app.clock.ms = Date.now()
  succeeded(await write('--now', app.origin, '--pin', key.keyId))
  const file = path.join(copy, 'now.json')
  const text = fs.readFileSync(file, 'utf8')
  const expected = { origin: app.origin, pinnedKeyIds: [key.keyId], nowMs: app.clock.ms }
  const { entry, provedAtMs } = await verifyCopyProof(Buffer.from(text), expected)
  assert.equal(entry.snapshotId, 'VS-0003')
  assert.equal(provedAtMs, app.clock.ms)

  const changes: readonly (readonly [what: string, text: string, code: string])[] = [
    ['another schema', text.replace('copy.v1', 'copy.v2'), 'MALFORMED'],
    ['not JSON', text.slice(1), 'MALFORMED'],
    ['another target', text.replace('/api/v1/version"', '/api/v1/versions/VS-0003"'), 'MALFORMED'],
    ['another time', text.replace(/("X-SVC-Signed-At",")20\d\d/, '$12099'), 'SIGNATURE'],
  ]
  for (const [what, wrong, code] of changes) {
    assert.notEqual(wrong, text, what)
    await assert.rejects(verifyCopyProof(Buffer.from(wrong), expected), { code }, what)
  }
  await assert.rejects(
    verifyCopyProof(Buffer.from(text), { ...expected, origin: 'https://other.example' }),
    {
      code: 'MALFORMED',
    },
  )
  await assert.rejects(
    verifyCopyProof(Buffer.from(text), { ...expected, pinnedKeyIds: ['A'.repeat(43)] }),
    {
      code: 'UNKNOWN_KEY',
    },
  )

  const other = await runApp(t, { releases: releasesOf({}) })
  other.clock.ms = Date.now()
  const another = failedWith(1, await write('--now', other.origin, '--pin', key.keyId))
  assert.match(another, /serves another VS-0001 than the copy has: expected the hash/)
  assert.equal(fs.readFileSync(file, 'utf8'), text)

  failedWith(3, await write('--now', await silentOrigin(), '--pin', key.keyId))
  assert.equal(fs.readFileSync(file, 'utf8'), text)
  // A node that is late, or a service from an old backup. The origin in a proof is not signed.
  const older = path.join(folder, 'older')
  fs.cpSync(path.join(releases, 'versions'), path.join(older, 'versions'), { recursive: true })
  fs.cpSync(path.join(releases, 'resources'), path.join(older, 'resources'), { recursive: true })
  fs.rmSync(path.join(older, 'versions', 'VS-0003.json'))
  const late = await runApp(t, { releases: loadReleases(openReleaseStore(older)) })
  late.clock.ms = Date.now()
  const later = text.replace(app.origin, late.origin)
  fs.writeFileSync(file, later)
  const stays = failedWith(3, await write('--now', late.origin, '--pin', key.keyId))
  assert.match(stays, /serves VS-0002, and signed a later version before/)
  assert.equal(fs.readFileSync(file, 'utf8'), later)
  fs.writeFileSync(file, text)
  // A service that is ahead of the folder proves a version that the copy does not have.
  assert.equal((await rollBackTo(folder, 'VS-0001', 'Back.')).status, 0)
  const ahead = await runApp(t, { releases: loadReleases(openReleaseStore(releases)) })
  ahead.clock.ms = Date.now()
  fs.rmSync(path.join(releases, 'versions', 'VS-0004.json'))
  fs.rmSync(path.join(releases, 'log'), { recursive: true })
  const behind = failedWith(1, await write('--now', ahead.origin))
  assert.match(behind, /serves VS-0004, which the copy does not have/)
  assert.equal(fs.readFileSync(file, 'utf8'), text)
})

test('a web server can read a copy, whatever the umask of the runs', async (t) => {
  const { copy, write } = await prepare(t, 1)
  const before = process.umask()
  t.after(() => process.umask(before))
  const rights = () =>
    fs
      .readdirSync(copy, { recursive: true, withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.site.lock'))
      .filter((entry) => {
        const { mode } = fs.statSync(path.join(entry.parentPath, entry.name))
        return (mode & 0o777) !== (entry.isDirectory() ? 0o755 : 0o644)
      })
      .map((entry) => path.join(path.relative(copy, entry.parentPath), entry.name))
  for (const umask of [0o077, 0o027, 0o007]) {
    fs.rmSync(copy, { recursive: true, force: true })
    process.umask(umask)
    assert.equal((await write()).status, 0)
    process.umask(before)
    assert.deepEqual(rights(), [], umask.toString(8))
    assert.equal(fs.statSync(copy).mode & 0o777, 0o755)

    // As runs of older programs left it. A run without another change mends it.
    for (const entry of fs.readdirSync(copy, { recursive: true, withFileTypes: true })) {
      const mode = (entry.isDirectory() ? 0o777 : 0o666) & ~umask
      fs.chmodSync(path.join(entry.parentPath, entry.name), mode)
    }
    fs.chmodSync(copy, 0o777 & ~umask)
    assert.equal((await write()).status, 0)
    assert.deepEqual(rights(), [], umask.toString(8))
    assert.equal(fs.statSync(copy).mode & 0o777, 0o755)
  }
})
