import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { folderWithReleases } from '../support/logged-releases.ts'
import { failedWith, succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('an old name of a command is wrong usage that names the new one', async (t) => {
  for (const [old, now] of [
    ['backup', 'db backup'],
    ['restore', 'db restore'],
    ['check-database', 'db check'],
    ['copy-database', 'db copy'],
    ['prove', 'tlog prove'],
    ['log', 'versions'],
    ['verify-releases', 'audit DIR'],
    ['challenge', 'waitlist join'],
    ['keys', 'api-keys'],
  ] as const) {
    const { status, out, error } = await svcIn(temporaryFolder(t), [old, '--json'])
    assert.deepEqual([status, out], [2, ''])
    const advice = `Run 'svc --help' for usage.`
    assert.equal(error, `error: svc ${old} is called svc ${now} now. ${advice}\n`)
  }
})

test('lists and shows versions and their resources', async (t) => {
  const folder = folderWithReleases(t)
  const run = (...args: readonly string[]) => svcIn(folder, args)
  const all = await run('versions')
  assert.deepEqual(all.out.match(/^VS-\d+/gm), ['VS-0003', 'VS-0002', 'VS-0001'])
  assert.deepEqual((await run('versions', '--limit', '2')).out.match(/^VS-\d+/gm), [
    'VS-0003',
    'VS-0002',
  ])
  assert.equal((await run('versions', '--limit', '0')).status, 2)
  const shown = JSON.parse((await run('show', 'VS-0002', '--json')).out) as {
    readonly resources: { readonly [name: string]: string }
  }
  const resource = await run('show', 'VS-0002', 'status', '--json')
  assert.partialDeepStrictEqual(JSON.parse(resource.out), {
    ok: true,
    digest: shown.resources['status'],
    data: { state: 'operational' },
  })
  assert.match((await run('show', 'VS-0002', 'status')).out, /^state: "?operational/m)
  assert.match((await run('show', 'VS-0002')).out, /^VS-0002 {2}\S+Z {2}[0-9a-f]{64}\n/)
  for (const [args, status, message] of [
    [['show'], 2, /expected a version/],
    [['show', 'VS-0009'], 1, /VS-0009/],
    [['show', 'status'], 2, /no version "status"; expected VS-0001 to VS-/],
    [['rollback', 'v1'], 2, /no version "v1"/],
    [['show', 'VS-0001', 'statsu'], 1, /no such resource; expected .*status/],
  ] as const) {
    const outcome = await run(...args)
    assert.equal(outcome.status, status)
    assert.match(outcome.error, message)
  }
  const [digest] = [shown.resources['status']]
  rmSync(path.join(folder, 'releases', 'resources', 'status', `${digest}.json`))
  assert.match((await run('show', 'VS-0002', 'status')).error, /^error: VS-0002 status: /)
})

test('find exits with 1 without a hit, and reading commands with 2 without a releases folder', async (t) => {
  const folder = folderWithReleases(t)
  assert.equal((await svcIn(folder, ['find', 'no such text anywhere'])).status, 1)
  succeeded(await svcIn(folder, ['find', 'operational', '--json']))
  for (const args of [
    ['find', 'x'],
    ['versions'],
    ['show', 'VS-0001'],
    ['redact', 'VS-0001', 'status', '--reason', 'R.', '--yes'],
  ]) {
    const { status, error } = await svcIn(folder, [...args, '--releases', 'relaeses'])
    assert.equal(status, 2, args.join(' '))
    assert.match(error, /the releases folder relaeses does not exist/)
  }
  const empty = temporaryFolder(t)
  const file = path.join(empty, 'file')
  writeFileSync(file, '')
  for (const [given, message] of [
    [empty, /is another kind of folder; expected one with versions/],
    [file, /is not a folder/],
  ] as const) {
    assert.match(failedWith(2, await svcIn(folder, ['find', 'x', '--releases', given])), message)
  }
})

test('--over expects a version', async (t) => {
  const folder = folderWithReleases(t)
  for (const over of ['', 'VS-9', 'newest']) {
    for (const args of [
      ['publish', '--note', 'N.', '--releases', 'releases'],
      ['incident', 'resolve', 'x', '--text', 'T.', '--publish', '--releases', 'releases'],
    ]) {
      const { status, error } = await svcIn(folder, [...args, '--over', over])
      assert.deepEqual([status, error.includes('--over expects a version')], [2, true], error)
    }
  }
})

test('audits a releases folder without options of a service', async (t) => {
  const folder = folderWithReleases(t)
  const run = (...args: readonly string[]) => svcIn(folder, ['audit', ...args])
  assert.match((await run('releases')).out, /^releases is intact up to VS-0003: 3 versions/)
  for (const [args, message] of [
    [['relaeses'], /the releases folder relaeses does not exist/],
    [['releases', 'more'], /expected one folder/],
    [['releases', '--policy', 'p'], /--policy is for a service, and releases is a folder/],
    [['releases', '--quiet'], /--quiet is for a service/],
  ] as const) {
    assert.match(failedWith(2, await run(...args)), message)
  }
})
