import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openSqliteConnection } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { APPLICATION_ID, MIGRATIONS } from '../../../src/storage/sqlite/sqlite-migrations.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { assertProblem, makeRegistration } from '../waitlist-fixture.ts'
import { execSql, holdLock } from './sqlite-fixture.ts'

const ADDING_PROCESS = fileURLToPath(new URL('sqlite-adding-process.ts', import.meta.url))

function makePath(t: TestContext, name = 'service.sqlite'): string {
  return path.join(temporaryFolder(t), name)
}

/** Makes a database as the version `taken` of this software left it. */
function makeOlder(file: string, taken: number): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL')
  for (const sql of MIGRATIONS.slice(0, taken)) database.exec(sql)
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${taken}`)
  database.close()
}

function schemaOf(file: string): readonly unknown[] {
  using database = new DatabaseSync(file, { readOnly: true })
  return database
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name')
    .all()
    .map((row) => ({ ...row }))
}

test('migrates an empty file and every older version to the current tables', async (t) => {
  const fresh = makePath(t)
  openSqliteConnection('create', { file: fresh }).close()
  for (let taken = 0; taken <= MIGRATIONS.length; taken += 1) {
    for (const mode of ['create', 'read-write'] as const) {
      const file = makePath(t)
      makeOlder(file, taken)
      const storage = await openSqlite(mode, { file })
      assert.equal(await storage.waitlist.add(makeRegistration(1)), 'added')
      await storage.close()
      assert.deepEqual(schemaOf(file), schemaOf(fresh), `from version ${taken}`)
      // To open it once more changes nothing.
      await (await openSqlite(mode, { file })).close()
      assert.deepEqual(schemaOf(file), schemaOf(fresh))
    }
  }
})

test('refuses to read an older version without migration and leaves it unchanged', async (t) => {
  const file = makePath(t)
  execSql(file, `PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE ancient (a)`)
  const before = schemaOf(file)
  await assertProblem('OLDER', openSqlite('read-only', { file }))
  assert.deepEqual(schemaOf(file), before)
})

test('a migration that fails changes nothing', async (t) => {
  const file = makePath(t)
  // What the first migration wants to make is there already, though this claims to be an unmigrated database of ours.
  execSql(file, `PRAGMA application_id = ${APPLICATION_ID}; CREATE TABLE decoys (a)`)
  const before = schemaOf(file)
  await assertProblem('IO', openSqlite('create', { file }))
  assert.deepEqual(schemaOf(file), before)
})

test('a lock that lasts too long fails the start and changes nothing', async (t) => {
  const file = makePath(t)
  makeOlder(file, 0)
  const release = holdLock(t, file)
  const opening = openSqlite('create', { file, busyTimeoutMs: 100 })
  await assertProblem('LOCKED', opening)
  release()
  await (await openSqlite('create', { file })).close()
})

test('processes that start together in an empty folder migrate once and share the waitlist', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const file = path.join(temporaryFolder(t), 'made', 'service.sqlite')
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, [ADDING_PROCESS, file], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const output: Buffer[] = []
        child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
        const [status] = (await once(child, 'close')) as [number | null]
        assert.equal(status, 0)
        return JSON.parse(Buffer.concat(output).toString()) as readonly string[]
      }),
    )
    // Every process added the same ten addresses.
    for (let number = 0; number < 10; number += 1) {
      const added = outcomes.filter((each) => each[number] === 'added')
      assert.equal(added.length, 1, `address ${number}`)
    }
    const storage = await openSqlite('read-only', { file })
    assert.equal((await storage.waitlist.count()).total, 10)
    await storage.close()
  }
})
