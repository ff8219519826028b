import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { partialNameOf } from '@public-api/client-internal/node/durable-file'
import {
  backUpDatabase,
  checkDatabase,
  restoreDatabase,
} from '../../../src/storage/sqlite/sqlite-backup.ts'
import type { Storage } from '../../../src/storage/stores/storage.ts'
import { temporaryFolder, temporaryDatabase } from '../../support/temporary-folder.ts'
import { assertProblem, makeRegistration, readAll } from '../waitlist-fixture.ts'
import { openStore } from './sqlite-fixture.ts'

const COUNTING_PROCESS = fileURLToPath(new URL('sqlite-counting-process.ts', import.meta.url))

async function openFilled(t: TestContext, count: number): Promise<{ file: string; live: Storage }> {
  const file = temporaryDatabase(t)
  const live = await openStore(t, { file })
  await Promise.all(
    Array.from({ length: count }, (_, number) => live.waitlist.add(makeRegistration(number))),
  )
  return { file, live }
}

test('a copy of a live database is complete, one file, and readable only by its owner', async (t) => {
  const { file, live } = await openFilled(t, 50)
  const folder = temporaryFolder(t)
  const target = path.join(folder, 'copy.sqlite')
  const writing = Array.from({ length: 50 }, (_, number) =>
    live.waitlist.add(makeRegistration(100 + number)),
  )
  await backUpDatabase(file, target)
  await Promise.all(writing)
  assert.deepEqual(fs.readdirSync(folder), ['copy.sqlite'])
  assert.equal(fs.statSync(target).mode & 0o777, 0o600)
  const copy = await openStore(t, { file: target }, 'read-only')
  const copied = await readAll(copy.waitlist)
  assert.ok(copied.length >= 50)
  assert.deepEqual(copied, (await readAll(live.waitlist)).slice(0, copied.length))
  // It can take the place of the original: positions go on behind the last one.
  const restored = await openStore(t, { file: target }, 'read-write')
  assert.equal(await restored.waitlist.add(makeRegistration(999)), 'added')
  const [row] = await restored.waitlist.readAfter(copied.at(-1)?.position ?? 0, 10)
  assert.equal(row?.ticket, makeRegistration(999).ticket)
})

test('never overwrites a file and leaves no copy after a failure', async (t) => {
  const { file } = await openFilled(t, 1)
  const folder = temporaryFolder(t)
  const target = path.join(folder, 'copy.sqlite')
  fs.writeFileSync(target, 'mine')
  await assertProblem('EXISTS', backUpDatabase(file, target))
  await assertProblem('EXISTS', backUpDatabase(file, file))
  assert.equal(fs.readFileSync(target, 'utf8'), 'mine')
  fs.rmSync(target)
  await assertProblem('MISSING', backUpDatabase(path.join(folder, 'none.sqlite'), target))
  fs.writeFileSync(path.join(folder, 'text'), 'no database')
  await assertProblem('NOT_A_DATABASE', backUpDatabase(path.join(folder, 'text'), target))
  await assertProblem('IO', backUpDatabase(file, path.join(folder, 'none', 'copy.sqlite')))
  assert.deepEqual(fs.readdirSync(folder), ['text'])
})

test('a copy gets its name when it is complete', async (t) => {
  const { file } = await openFilled(t, 1)
  const target = path.join(temporaryFolder(t), 'copy.sqlite')
  const isNamed: boolean[] = []
  const { fsyncSync } = fs
  t.mock.method(fs, 'fsyncSync', (handle: number) => {
    isNamed.push(fs.existsSync(target))
    fsyncSync(handle)
  })
  await backUpDatabase(file, target)
  // The copy and its folder.
  assert.deepEqual(isNamed, [false, true])
})

test('a copy that a killed restore left is deleted with the next erasure', async (t) => {
  const { file, live } = await openFilled(t, 1)
  const copy = partialNameOf(file)
  const left = ['', '-journal', '-wal', '-shm'].map((suffix) => copy + suffix)
  for (const each of left) {
    await backUpDatabase(file, each)
    fs.utimesSync(each, 0, 0)
  }
  const command = await openStore(t, { file }, 'read-write')
  await command.waitlist.erase(makeRegistration(0).addressHash)
  assert.deepEqual(await readAll(live.waitlist), [])
  assert.deepEqual(left.filter(fs.existsSync), [])
})

test('a restore that is killed leaves names of one copy alone', async (t) => {
  const { file } = await openFilled(t, 1)
  const backup = path.join(temporaryFolder(t), 'backup.sqlite')
  await backUpDatabase(file, backup)
  const opened = t.mock.method(fs, 'openSync')
  await restoreDatabase(backup, file, { force: true })
  const names = opened.mock.calls.map(({ arguments: [name] }) => path.basename(String(name)))
  const partials = names.filter((name) => name.includes('.partial'))
  assert.match(partials.join(' '), /^(service\.sqlite\.[0-9a-f]{12}\.partial ?)+$/)
})

test('a backup says which permission is missing, and that a file has no tables', async (t) => {
  const { file } = await openFilled(t, 1)
  const folder = temporaryFolder(t)
  const empty = path.join(folder, 'empty.sqlite')
  fs.writeFileSync(empty, '')
  assert.throws(
    () => checkDatabase(empty),
    /: the database does not exist \(the file has no tables\)$/,
  )
  assert.throws(() => checkDatabase(`${empty}.none`), /: the database does not exist$/)
  for (const [call, expected] of [
    ['accessSync', `no permission to read it`],
    ['lstatSync', `no permission to enter ${folder}`],
  ] as const) {
    const place = path.join(folder, 'x')
    const denied = Object.assign(new Error('EACCES'), {
      code: 'EACCES',
      syscall: 'lstat',
      path: place,
    })
    const mocked = t.mock.method(fs, call, () => {
      throw denied
    })
    assert.throws(() => checkDatabase(file), {
      code: 'IO',
      message: new RegExp(`\\(${expected}\\)$`),
    })
    mocked.mock.restore()
  }
})

test('the database file without its WAL opens as of the last checkpoint', async (t) => {
  const { file, live } = await openFilled(t, 3)
  // An erasure writes the WAL back.
  await live.waitlist.erase(makeRegistration(0).addressHash)
  await live.waitlist.add(makeRegistration(9))
  const folder = temporaryFolder(t)
  const target = path.join(folder, 'copy.sqlite')
  // By another process: to close the file in this one would drop SQLite's locks on it.
  assert.equal(spawnSync('cp', [file, target]).status, 0)
  const copy = await openStore(t, { file: target }, 'read-only')
  const tickets = (await readAll(copy.waitlist)).map(({ ticket }) => ticket)
  assert.deepEqual(
    tickets,
    [1, 2].map((number) => makeRegistration(number).ticket),
  )
})

/** Root may write anywhere, so these tests give up that capability where they run as root. */
const WITHOUT_OVERRIDE = ['--bounding-set=-dac_override', '--inh-caps=-dac_override', '--']

/** Runs a program that may not write where the modes of files forbid it. */
function countAsReader(file: string): { readonly out: string; readonly error: string } {
  const counting = [process.execPath, COUNTING_PROCESS, file]
  const isRoot = process.getuid?.() === 0
  const [program = '', ...args] = isRoot ? ['setpriv', ...WITHOUT_OVERRIDE, ...counting] : counting
  const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' })
  if (error !== undefined) throw error
  return { out: stdout, error: stderr }
}

test('a copy can be read on read-only media', async (t) => {
  const { file, live } = await openFilled(t, 3)
  await live.waitlist.erase(makeRegistration(0).addressHash)
  const folder = temporaryFolder(t)
  const whole = path.join(folder, 'whole.sqlite')
  await backUpDatabase(file, whole)
  for (const name of ['plain.sqlite', 'logged.sqlite']) {
    assert.equal(spawnSync('cp', [file, path.join(folder, name)]).status, 0)
  }
  // One row is in the WAL alone, which was copied for this one.
  await live.waitlist.add(makeRegistration(9))
  assert.equal(spawnSync('cp', [`${file}-wal`, path.join(folder, 'logged.sqlite-wal')]).status, 0)
  for (const name of fs.readdirSync(folder)) fs.chmodSync(path.join(folder, name), 0o444)
  const names = fs.readdirSync(folder)
  fs.chmodSync(folder, 0o555)
  try {
    const first = countAsReader(whole)
    assert.equal(first.out, '2', first.error)
    assert.equal(countAsReader(path.join(folder, 'plain.sqlite')).out, '2')
    // What is in the WAL would be missing: better to say so than to show less.
    const logged = countAsReader(path.join(folder, 'logged.sqlite'))
    assert.equal(logged.out, '')
    assert.match(
      logged.error,
      /logged\.sqlite \(its write-ahead log has to be read too; copy both to a writable folder/,
    )
    assert.deepEqual(fs.readdirSync(folder), names)
  } finally {
    fs.chmodSync(folder, 0o700)
  }
})
