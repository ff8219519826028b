import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { test, type TestContext } from 'node:test'
import { backUpDatabase } from '../../../src/storage/sqlite/sqlite-backup.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import type { Storage } from '../../../src/storage/stores/storage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { assertProblem, bytesOf, makeRegistration, readAll } from '../waitlist-fixture.ts'
import { holdLock, openStore, removeFiles } from './sqlite-fixture.ts'

function makePath(t: TestContext): string {
  return path.join(temporaryFolder(t), 'data', 'service.sqlite')
}

async function totalOf(storage: Storage): Promise<number> {
  return (await storage.waitlist.count()).total
}

test('a long lock refuses writes, and refused writes are not stored', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file, busyTimeoutMs: 100 })
  await storage.waitlist.add(makeRegistration(0))
  const release = holdLock(t, file)
  const adds = [1, 2, 3].map((number) => storage.waitlist.add(makeRegistration(number)))
  for (const add of adds) await assertProblem('LOCKED', add)
  await assertProblem('LOCKED', storage.waitlist.erase(makeRegistration(0).addressHash))
  // Who only reads waits for no writer.
  assert.equal(await totalOf(storage), 1)
  release()
  assert.equal(await totalOf(storage), 1)
  for (const number of [1, 2, 3]) {
    assert.equal(await storage.waitlist.add(makeRegistration(number)), 'added')
  }
})

test('a full database refuses, stores nothing and continues once there is room', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file, maxPages: 40 })
  const added: number[] = []
  for (let number = 0; added.length === number; number += 1) {
    try {
      assert.equal(await storage.waitlist.add(makeRegistration(number)), 'added')
      added.push(number)
    } catch {
      await assertProblem('FULL', storage.waitlist.add(makeRegistration(number)))
    }
  }
  assert.ok(added.length > 10)
  assert.equal(await totalOf(storage), added.length)
  // Called at once, some or all share a transaction: each is stored or refused, and says so.
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, number) => storage.waitlist.add(makeRegistration(500 + number))),
  )
  const accepted = outcomes.filter(({ status }) => status === 'fulfilled')
  assert.ok(accepted.length < outcomes.length)
  assert.equal(await totalOf(storage), added.length + accepted.length)
  for (const number of added.slice(0, 20)) {
    assert.ok(await storage.waitlist.erase(makeRegistration(number).addressHash))
  }
  assert.equal(await storage.waitlist.add(makeRegistration(900)), 'added')
  assert.equal(await totalOf(storage), added.length + accepted.length - 20 + 1)
})

test('a reseal that does not fit completely replaces no seal', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file, maxPages: 60 })
  for (let number = 0; number < 20; number += 1) {
    await storage.waitlist.add(makeRegistration(number))
  }
  const before = await readAll(storage.waitlist)
  const seals = before.map(({ position, recipient }) => ({
    position,
    fromRecipient: recipient,
    recipient: 'age1second',
    sealed: bytesOf('long', 30_000),
  }))
  await assertProblem('FULL', storage.waitlist.reseal(seals))
  assert.deepEqual(await readAll(storage.waitlist), before)
  assert.equal(await storage.waitlist.reseal(seals.slice(0, 2)), 2)
})

test('a deleted database is created again and stores rows', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file })
  await storage.waitlist.add(makeRegistration(1))
  await storage.waitlist.add(makeRegistration(2))
  removeFiles(file)
  assert.equal(await storage.waitlist.add(makeRegistration(1)), 'added')
  const watching = await openSqlite('read-only', { file })
  assert.equal(await totalOf(watching), 1)
  await watching.close()
  fs.rmSync(path.dirname(file), { recursive: true })
  assert.equal(await storage.waitlist.add(makeRegistration(3)), 'added')
  assert.equal(await totalOf(storage), 1)
  assert.equal(fs.statSync(file).mode & 0o777, 0o600)
})

test('uses a database that replaced another', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file })
  await storage.waitlist.add(makeRegistration(1))
  const copy = `${file}.copy`
  await backUpDatabase(file, copy)
  await storage.waitlist.add(makeRegistration(2))
  removeFiles(file)
  fs.renameSync(copy, file)
  assert.equal(await totalOf(storage), 1)
  assert.equal(await storage.waitlist.add(makeRegistration(1)), 'duplicate')
  assert.equal(await storage.waitlist.add(makeRegistration(2)), 'added')
})

test('a deleted WAL loses no confirmed row', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file })
  await storage.waitlist.add(makeRegistration(1))
  fs.rmSync(`${file}-wal`)
  assert.equal(await storage.waitlist.add(makeRegistration(2)), 'added')
  await storage.close()
  const again = await openStore(t, { file })
  assert.equal(await totalOf(again), 2)
})

test('an unusable path refuses until it is usable', async (t) => {
  const file = makePath(t)
  const folder = path.dirname(file)
  const storage = await openStore(t, { file })
  await storage.waitlist.add(makeRegistration(1))
  fs.renameSync(folder, `${folder}.away`)
  fs.writeFileSync(folder, '')
  for (let attempt = 0; attempt < 3; attempt += 1) {
    await assertProblem('IO', storage.waitlist.add(makeRegistration(2)))
  }
  fs.rmSync(folder)
  fs.renameSync(`${folder}.away`, folder)
  assert.equal(await storage.waitlist.add(makeRegistration(2)), 'added')
  assert.equal(await totalOf(storage), 2)
})

test('rejects a file that is not a database and leaves it unchanged', async (t) => {
  const file = makePath(t)
  const storage = await openStore(t, { file })
  await storage.waitlist.add(makeRegistration(1))
  removeFiles(file)
  fs.writeFileSync(file, 'no database')
  await assertProblem('NOT_A_DATABASE', storage.waitlist.add(makeRegistration(2)))
  await assertProblem('NOT_A_DATABASE', storage.waitlist.count())
  assert.equal(fs.readFileSync(file, 'utf8'), 'no database')
  fs.rmSync(file)
  assert.equal(await storage.waitlist.add(makeRegistration(2)), 'added')
})
