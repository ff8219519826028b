import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { editContent, makeContent } from '../publishing/content-fixture.ts'
import { SVC } from '../support/run-program.ts'
import { cleanEnvironment, OPEN_INCIDENT } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const [OWNER, COLLEAGUE, GROUP] = [12_345, 12_346, 23_456]

/** Gives a folder and everything in it to the owner and the group, both of whom may write. */
function share(folder: string): void {
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  for (const each of ['', ...entries]) {
    const place = path.join(folder, each)
    chownSync(place, OWNER, GROUP)
    chmodSync(place, statSync(place).isDirectory() ? 0o2775 : 0o664)
  }
}

/** Content and releases of an owner and a group, and `svc` as another user. */
function makeShared(t: TestContext) {
  const content = makeContent(t)
  const releases = path.join(temporaryFolder(t), 'releases')
  mkdirSync(releases)
  for (const folder of [content, releases]) {
    const above = path.dirname(folder)
    // The folder of all temporary files has more rights than these already.
    chmodSync(above, statSync(above).mode | 0o055)
    share(folder)
  }
  const run = (uid: number, gid: number, ...args: readonly string[]) =>
    spawnSync(process.execPath, [SVC, ...args], {
      uid,
      gid,
      cwd: '/',
      encoding: 'utf8',
      timeout: 60_000,
      env: cleanEnvironment({
        SVC_CONTENT_DIR: content,
        SVC_RELEASES_DIR: releases,
        // That of the tests belongs to their user.
        TMPDIR: '/tmp',
      }),
    })
  return { content, releases, run }
}

test('a colleague in the group opens an incident, and the owner goes on', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may run a command as another user')
  const { content, run } = makeShared(t)
  const first = run(OWNER, GROUP, 'publish', '-m', 'N.', '--no-cards')
  assert.equal(first.status, 0, first.stderr)
  const opened = run(COLLEAGUE, GROUP, ...OPEN_INCIDENT, '--component', 'read-api=degraded')
  assert.equal(opened.status, 0, opened.stderr)
  const { uid, gid, mode } = statSync(path.join(content, 'status.yaml'))
  assert.deepEqual([uid, gid, mode & 0o777], [COLLEAGUE, GROUP, 0o664])
  const id = /\(([\w-]+)\):/.exec(opened.stdout)?.[1] ?? ''
  const resolve = ['incident', 'resolve', id, '--text', 'C.', '--publish', '--no-cards']
  const resolved = run(OWNER, GROUP, ...resolve)
  assert.equal(resolved.status, 0, resolved.stderr)
  assert.match(resolved.stdout, /Published VS-0002/)
})

test('a colleague discards edits where only the content folder is shared', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may run a command as another user')
  const { content, run } = makeShared(t)
  assert.equal(run(OWNER, GROUP, 'publish', '-m', 'N.', '--no-cards').status, 0)
  // A folder that its owner alone may read, as a file manager makes it.
  mkdirSync(path.join(content, '.Trash-0'), { mode: 0o700 })
  for (const [user, typed] of [
    [COLLEAGUE, 'First.'],
    [OWNER, 'Second.'],
  ] as const) {
    appendFileSync(path.join(content, 'roadmap.yaml'), `# ${typed}\n`)
    editContent(content, 'roadmap', 'title: Writing', `title: ${typed}`)
    assert.equal(run(COLLEAGUE, GROUP, 'check').status, 0)
    const { status, stdout, stderr } = run(user, GROUP, 'discard', '--yes')
    assert.equal(status, 0, stderr)
    const [, folder = ''] = /^The discarded files are in (.*)$/m.exec(stdout) ?? []
    const kept = readFileSync(path.join(folder, 'roadmap.yaml'), 'utf8')
    assert.ok(kept.includes(`title: ${typed}`) && kept.includes(`# ${typed}`), kept)
  }
  assert.match(run(COLLEAGUE, GROUP, 'publish', '-m', 'N.').stdout, /^Nothing to publish/)
})

test('a status that a colleague saved for himself alone names what he does about it', (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may run a command as another user')
  const { content, run } = makeShared(t)
  assert.equal(run(OWNER, GROUP, 'publish', '-m', 'N.', '--no-cards').status, 0)
  chmodSync(path.join(content, 'status.yaml'), 0o600)
  const opened = run(COLLEAGUE, GROUP, ...OPEN_INCIDENT, '--component', 'read-api=degraded')
  assert.equal(opened.status, 1)
  assert.match(opened.stderr, /status\.yaml cannot be read: EACCES.*; its owner .* chmod g\+rw$/m)
})

test('a folder that a colleague alone may read stops what is in it, and no incident', (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may run a command as another user')
  const { content, run } = makeShared(t)
  assert.equal(run(OWNER, GROUP, 'publish', '-m', 'N.', '--no-cards').status, 0)
  const makePrivate = (name: string) => {
    mkdirSync(path.join(content, name), { mode: 0o700 })
    chownSync(path.join(content, name), OWNER, GROUP)
  }
  makePrivate('drafts')
  const open = [...OPEN_INCIDENT, '--component', 'read-api=degraded', '--publish', '--no-cards']
  const opened = run(COLLEAGUE, GROUP, ...open)
  assert.equal(opened.status, 0, opened.stderr)
  assert.match(opened.stderr, /^Warning: \S+\/drafts has mistakes and is not published/m)
  assert.equal(run(COLLEAGUE, GROUP, 'publish', '-m', 'M.', '--no-cards').status, 1)
  assert.match(run(COLLEAGUE, GROUP, 'discard', '--yes').stdout, /^Nothing to discard/)
  makePrivate('th')
  const [, id = ''] = /\(([\w-]+)\):/.exec(opened.stdout) ?? []
  const update = ['incident', 'update', id, '--text', 'More.', '--publish', '--no-cards']
  const refused = run(COLLEAGUE, GROUP, ...update)
  assert.equal(refused.status, 1)
  assert.match(refused.stderr, /\/th:1:1: found an unreadable folder \(EACCES: /)
})

test('no command shows a stack trace for a folder that it may not use', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('only root may run a command as another user')
  const { content, releases, run } = makeShared(t)
  assert.equal(run(OWNER, GROUP, 'publish', '-m', 'N.', '--no-cards').status, 0)
  const stranger = 34_567
  const writing = [
    [...OPEN_INCIDENT, '--component', 'read-api=degraded'],
    ['tlog', 'init', '--origin', 'api.example.org/log'],
    ['init', path.join(content, 'new')],
  ]
  const reading = [
    ['publish', '-m', 'M.', '--no-cards'],
    ['rollback', 'VS-0001', '-m', 'M.', '--no-cards'],
    ['check'],
    ['init', content, '--schemas'],
    ['versions'],
    ['audit', releases],
    ['waitlist', 'count', '--database', path.join(content, 'x.sqlite')],
    ['db', 'backup', path.join(content, 'b'), '--database', path.join(content, 'x.sqlite')],
  ]
  for (const [mode, commands] of [
    [0o2755, writing],
    [0o2700, reading],
  ] as const) {
    chmodSync(content, mode)
    chmodSync(releases, mode)
    for (const args of commands) {
      const { status, stderr } = run(stranger, stranger, ...args)
      assert.equal(status, 1, `${args.join(' ')}: ${stderr}`)
      assert.match(stderr, /^error: [^\n]+/, args.join(' '))
      assert.doesNotMatch(stderr, /^ +at /m, args.join(' '))
    }
  }
})
