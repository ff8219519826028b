import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { openSqliteConnection } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import {
  STORAGE_FAILURES,
  StorageError,
  type StorageFailure,
} from '../../../src/storage/stores/storage-error.ts'
import type { StorageMode } from '../../../src/storage/stores/storage.ts'
import { temporaryFolder, temporaryDatabase } from '../../support/temporary-folder.ts'
import { assertProblem, makeRegistration } from '../waitlist-fixture.ts'
import { execSql, filesOf, openStore } from './sqlite-fixture.ts'

const MODES: readonly StorageMode[] = ['create', 'read-write', 'read-only']

function assertRefused(mode: StorageMode, file: string, code: StorageFailure): void {
  assert.throws(
    () => openSqliteConnection(mode, { file, busyTimeoutMs: 100 }),
    (error) => {
      assert.ok(error instanceof StorageError, String(error))
      assert.equal(error.code, code, mode)
      assert.ok(error.message.startsWith(`${file}: `), error.message)
      return true
    },
  )
}

function pragmaOf(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]
}

test('a link in place of the database or a file beside it is refused, and nothing is created', (t) => {
  for (const suffix of ['', '-wal', '-shm', '-journal']) {
    const file = temporaryDatabase(t)
    if (suffix !== '') openSqliteConnection('create', { file }).close()
    const target = path.join(temporaryFolder(t), 'target')
    for (const isDangling of [true, false]) {
      if (!isDangling) fs.writeFileSync(target, '')
      fs.symlinkSync(target, file + suffix)
      for (const mode of MODES) {
        assert.throws(
          () => openSqliteConnection(mode, { file }),
          { code: 'IRREGULAR', message: `${file}${suffix}: ${STORAGE_FAILURES.IRREGULAR}` },
          mode,
        )
      }
      assert.equal(fs.existsSync(target) && fs.statSync(target).size, isDangling ? false : 0)
      fs.rmSync(file + suffix)
    }
  }
})

test('writing connections are durable, overwrite deleted content and trust no schema', (t) => {
  const file = temporaryDatabase(t)
  for (const mode of ['create', 'read-write'] as const) {
    const database = openSqliteConnection(mode, { file, busyTimeoutMs: 1234 })
    const found = Object.fromEntries(
      [
        'journal_mode',
        'synchronous',
        'secure_delete',
        'foreign_keys',
        'trusted_schema',
        'busy_timeout',
        'application_id',
        'user_version',
      ].map((name) => [name, pragmaOf(database, name)]),
    )
    assert.deepEqual(found, {
      journal_mode: 'wal',
      synchronous: 2,
      secure_delete: 1,
      foreign_keys: 1,
      trusted_schema: 0,
      busy_timeout: 1234,
      application_id: 0x53564357,
      user_version: 2,
    })
    assert.equal(pragmaOf(database, 'integrity_check'), 'ok')
    database.close()
  }
})

test('new folders of a database are durable before it is', (t) => {
  const root = temporaryFolder(t)
  const file = path.join(root, 'var', 'data', 'service.sqlite')
  const synced: string[] = []
  const original = fs.fsyncSync
  t.mock.method(fs, 'fsyncSync', (handle: number) => {
    const { ino } = fs.fstatSync(handle)
    synced.push(...['.', 'var'].filter((each) => fs.statSync(path.join(root, each)).ino === ino))
    assert.equal(fs.existsSync(file), false)
    original(handle)
  })
  openSqliteConnection('create', { file }).close()
  assert.deepEqual(synced, ['.', 'var'])
})

test('all tables are STRICT, and a hash has 32 bytes', (t) => {
  using database = openSqliteConnection('create', { file: temporaryDatabase(t) })
  const tables = database
    .prepare(`SELECT name, strict FROM pragma_table_list WHERE name NOT LIKE 'sqlite_%'`)
    .all()
    .map((row) => [row.name, row.strict])
  assert.deepEqual(Object.fromEntries(tables), {
    recipients: 1,
    registrations: 1,
    decoys: 1,
    api_keys: 1,
  })
  database.exec(`INSERT INTO recipients VALUES (1, 'age1first')`)
  const insert = database.prepare(`INSERT INTO registrations VALUES (NULL, ?, 'EA-', ?, 1, x'00')`)
  assert.throws(() => insert.run(new Uint8Array(31), 1), /CHECK constraint failed/)
  assert.throws(() => insert.run(new Uint8Array(32), 2), /FOREIGN KEY constraint failed/)
  insert.run(new Uint8Array(32), 1)
})

test('the folder and the files are accessible only to their owner under any umask', async (t) => {
  const previous = process.umask(0)
  t.after(() => process.umask(previous))
  const folder = path.join(temporaryFolder(t), 'made', 'on demand')
  const file = path.join(folder, 'service.sqlite')
  const storage = await openSqlite('create', { file })
  await storage.waitlist.add(makeRegistration(1))
  const files = filesOf(file)
  assert.equal(files.length, 3)
  for (const each of files) assert.equal(fs.statSync(each).mode & 0o777, 0o600, each)
  assert.equal(fs.statSync(folder).mode & 0o777, 0o700)
  assert.equal(fs.statSync(path.dirname(folder)).mode & 0o777, 0o700)
  await storage.close()
  assert.deepEqual(filesOf(file), [file])
})

describe('a foreign file is refused in every mode and left unchanged', () => {
  /** Each makes a file and says what it is refused with. */
  const FOREIGN: { readonly [name: string]: (file: string) => StorageFailure } = {
    'random bytes': (file) => {
      fs.writeFileSync(file, randomBytes(10_000))
      return 'NOT_A_DATABASE'
    },
    'a short text': (file) => {
      fs.writeFileSync(file, 'hello')
      return 'NOT_A_DATABASE'
    },
    "another program's tables": (file) => {
      execSql(file, 'CREATE TABLE registrations (email TEXT); INSERT INTO registrations VALUES (1)')
      return 'NOT_A_DATABASE'
    },
    "another program's number": (file) => {
      execSql(file, 'PRAGMA application_id = 7; CREATE TABLE t (a); PRAGMA user_version = 1')
      return 'NOT_A_DATABASE'
    },
    "another program's empty database": (file) => {
      execSql(file, 'PRAGMA application_id = 7')
      return 'NOT_A_DATABASE'
    },
    'a database of a newer version': (file) => {
      const database = openSqliteConnection('create', { file })
      database.exec('PRAGMA user_version = 1000')
      database.close()
      return 'NEWER'
    },
  }
  for (const [name, make] of Object.entries(FOREIGN)) {
    test(name, async (t) => {
      const file = temporaryDatabase(t)
      const code = make(file)
      const before = fs.readFileSync(file)
      for (const mode of MODES) assertRefused(mode, file, code)
      await assertProblem(code, openSqlite('create', { file }))
      assert.deepEqual(fs.readFileSync(file), before)
    })
  }
})

test('only the mode create creates a database; others refuse an empty file', (t) => {
  const file = temporaryDatabase(t)
  for (const mode of ['read-write', 'read-only'] as const) {
    assertRefused(mode, file, 'MISSING')
    assert.deepEqual(fs.readdirSync(path.dirname(file)), [])
    fs.writeFileSync(file, '')
    assertRefused(mode, file, 'MISSING')
    fs.rmSync(file)
  }
  fs.writeFileSync(file, '', { mode: 0o600 })
  openSqliteConnection('create', { file }).close()
  openSqliteConnection('read-only', { file }).close()
})

test('a path that cannot contain a database is a failure that names it', async (t) => {
  const folder = temporaryFolder(t)
  fs.writeFileSync(path.join(folder, 'file'), '')
  await assertProblem('IO', openSqlite('create', { file: path.join(folder, 'file', 'a.sqlite') }))
  fs.mkdirSync(path.join(folder, 'folder'))
  await assertProblem('IRREGULAR', openSqlite('create', { file: path.join(folder, 'folder') }))
})

test('reads our unfinished WAL at the next start', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openSqlite('create', { file })
  await storage.waitlist.add(makeRegistration(1))
  const crashed = path.join(path.dirname(file), 'crashed.sqlite')
  fs.copyFileSync(file, crashed)
  fs.copyFileSync(`${file}-wal`, `${crashed}-wal`)
  await storage.close()
  for (const mode of ['read-only', 'create'] as const) {
    const again = await openSqlite(mode, { file: crashed })
    assert.equal((await again.waitlist.count()).total, 1)
    await again.close()
  }
})

test('a read-only connection reads beside a writer, does not block it and writes nothing', async (t) => {
  const file = temporaryDatabase(t)
  const writer = await openStore(t, { file, busyTimeoutMs: 100 })
  await writer.waitlist.add(makeRegistration(1))
  const reader = await openStore(t, { file }, 'read-only')
  assert.equal((await reader.waitlist.count()).total, 1)
  await writer.waitlist.add(makeRegistration(2))
  assert.equal((await reader.waitlist.count()).total, 2)
  // An erasure needs the WAL for itself: an idle reader does not block it.
  assert.ok((await writer.waitlist.erase(makeRegistration(1).addressHash)) !== undefined)
  await assertProblem('IO', reader.waitlist.add(makeRegistration(3)))
  await assertProblem('IO', reader.waitlist.erase(makeRegistration(2).addressHash))
  assert.equal((await reader.waitlist.count()).total, 1)
})
