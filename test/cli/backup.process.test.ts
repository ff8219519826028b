import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openSqlite } from '../../src/storage/sqlite/sqlite-storage.ts'
import { execSql } from '../storage/sqlite/sqlite-fixture.ts'
import { makeRegistration } from '../storage/waitlist-fixture.ts'
import { eventually } from '../support/eventually.ts'
import { SVC } from '../support/run-program.ts'
import { succeeded, svcIn } from '../support/run-svc.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import {
  addRegistrations,
  countRows,
  makeDeployment,
  readRows,
} from './waitlist/deployment-fixture.ts'
import { entryOf, sealedRegistrations } from './waitlist/waitlist-fixture.ts'

test('backup writes a whole database that can be read on read-only media', async (t) => {
  const { folder, database, keys } = await makeDeployment(t, (own) => sealedRegistrations(3, own))
  const { status, out, error } = await svcIn(folder, ['db', 'backup', 'list.sqlite'])
  assert.deepEqual([status, error], [0, ''])
  assert.equal(out, `Backed up 3 registrations and 0 keys of ${database} to list.sqlite.\n`)
  const copy = path.join(folder, 'list.sqlite')
  assert.equal(statSync(copy).mode & 0o777, 0o600)
  assert.deepEqual(await readRows(copy), await readRows(database))

  const machine = temporaryFolder(t)
  const medium = path.join(machine, 'medium')
  mkdirSync(medium)
  copyFileSync(copy, path.join(medium, 'list.sqlite'))
  chmodSync(path.join(medium, 'list.sqlite'), 0o400)
  chmodSync(medium, 0o500)
  const exporting = ['waitlist', 'export', '--identity', '-', '--format', 'jsonl']
  const exported = await svcIn(machine, [...exporting, '--database', 'medium/list.sqlite'], {
    input: keys.identity,
  })
  // Lets a user other than root delete the folder.
  chmodSync(medium, 0o700)
  assert.equal(exported.status, 0, exported.error)
  const entries = exported.out
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  assert.deepEqual(entries, [entryOf(1), entryOf(2), entryOf(3)])
})

test('backup never overwrites a file', async (t) => {
  const { folder } = await makeDeployment(t, (keys) => sealedRegistrations(1, keys))
  writeFileSync(path.join(folder, 'kept.sqlite'), 'mine')
  const { status, out, error } = await svcIn(folder, ['db', 'backup', 'kept.sqlite'])
  assert.deepEqual([status, out], [1, ''])
  assert.match(error, /^error: .*kept\.sqlite: .*\n$/)
  assert.equal(readFileSync(path.join(folder, 'kept.sqlite'), 'utf8'), 'mine')
})

test('restore requires --force for an existing database and replaces all of it', async (t) => {
  const { folder, database, keys } = await makeDeployment(t, (own) => sealedRegistrations(3, own))
  const before = await readRows(database)
  assert.equal((await svcIn(folder, ['db', 'backup', 'b.sqlite'])).status, 0)
  await addRegistrations(database, await sealedRegistrations(2, keys, 10))
  const refused = await svcIn(folder, ['db', 'restore', 'b.sqlite', '--json'])
  assert.equal(refused.status, 1)
  assert.match(refused.out, /"code":"EXISTS".*left unchanged; --force replaces it"/)
  assert.equal((await countRows(database)).total, 5)
  const restored = succeeded(await svcIn(folder, ['db', 'restore', 'b.sqlite', '--force']))
  assert.match(restored, /^Restored 3 registrations, the newest of 2026-.*\nErase and revoke/)
  assert.deepEqual(await readRows(database), before)

  // After an upgrade, and after damage.
  execSql(database, 'PRAGMA user_version = 999')
  const kept = await svcIn(folder, ['db', 'restore', 'b.sqlite', '--force'])
  assert.match(kept.error, /newer version of this software \(stop the service, move the file away/)
  writeFileSync(database, 'damaged')
  const damaged = await svcIn(folder, ['db', 'restore', 'b.sqlite', '--force'])
  assert.match(damaged.error, /the file is damaged .* \(stop the service, move the file away/)

  for (const suffix of ['', '-wal', '-shm']) rmSync(`${database}${suffix}`, { force: true })
  assert.equal((await svcIn(folder, ['db', 'restore', 'b.sqlite'])).status, 0)
  assert.deepEqual(await readRows(database), before)
  assert.equal(statSync(database).mode & 0o777, 0o600)
})

test('restore refuses an unsuitable file and leaves the database unchanged', async (t) => {
  const { folder, database } = await makeDeployment(t, (keys) => sealedRegistrations(3, keys))
  const before = await readRows(database)
  const make = async (name: string, change: (file: string) => void): Promise<string> => {
    const file = path.join(folder, name)
    assert.equal((await svcIn(folder, ['db', 'backup', name])).status, 0)
    change(file)
    return name
  }
  const cases = {
    NOT_A_DATABASE: await make('cut.sqlite', (file) => truncateSync(file, 20_000)),
    NEWER: await make('newer.sqlite', (file) => {
      execSql(file, 'PRAGMA user_version = 999')
    }),
    MISSING: 'missing.sqlite',
  }
  for (const [code, name] of Object.entries(cases)) {
    const { status, out } = await svcIn(folder, ['db', 'restore', name, '--force', '--json'])
    assert.equal(status, 1, name)
    assert.match(out, new RegExp(`"code":"${code}"`), name)
    assert.deepEqual(await readRows(database), before)
  }
})

/** Runs svc without blocking this process. Resolves with what it wrote to standard error. */
async function runInBackground(folder: string, args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [SVC, ...args], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return text(child.stderr)
}

test('backup and restore work while a server registers', async (t) => {
  const { folder, database } = await makeDeployment(t, async () => [])
  const storage = await openSqlite('create', { file: database })
  t.after(() => storage.close())
  const acknowledged: number[] = []
  const failures: unknown[] = []
  const load = { next: 0, isOver: false }
  const writers = Array.from({ length: 4 }, async () => {
    while (!load.isOver && failures.length === 0) {
      const number = (load.next += 1)
      await storage.waitlist.add(makeRegistration(number)).then(
        () => acknowledged.push(number),
        (error: unknown) => failures.push(error),
      )
    }
  })
  const ticketsIn = async (file: string) =>
    new Set((await readRows(path.join(folder, file))).map(({ ticket }) => ticket))
  try {
    const known = await eventually('registrations before the backup', () =>
      acknowledged.length >= 20 ? [...acknowledged] : undefined,
    )
    assert.equal(await runInBackground(folder, ['db', 'backup', 'b.sqlite']), '')
    const inBackup = await ticketsIn('b.sqlite')
    for (const number of known) assert.ok(inBackup.has(makeRegistration(number).ticket))
    assert.equal(await runInBackground(folder, ['db', 'restore', 'b.sqlite', '--force']), '')
    const since = acknowledged.length
    const later = await eventually('registrations after the restore', () =>
      acknowledged.length >= since + 20 ? acknowledged.slice(since) : undefined,
    )
    assert.equal(await runInBackground(folder, ['db', 'backup', 'after.sqlite']), '')
    const after = await ticketsIn('after.sqlite')
    for (const ticket of inBackup) assert.ok(after.has(ticket))
    for (const number of later) assert.ok(after.has(makeRegistration(number).ticket), `${number}`)
  } finally {
    load.isOver = true
    await Promise.all(writers)
  }
  assert.deepEqual(failures, [])
})
