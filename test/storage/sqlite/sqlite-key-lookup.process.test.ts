import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { backUpDatabase } from '../../../src/storage/sqlite/sqlite-backup.ts'
import type { ApiKeyStore } from '../../../src/storage/stores/api-key-store.ts'
import { StorageError } from '../../../src/storage/stores/storage-error.ts'
import type { Storage } from '../../../src/storage/stores/storage.ts'
import { temporaryFolder, temporaryDatabase } from '../../support/temporary-folder.ts'
import { CREATED_AT_MS, makeKey } from '../api-keys-fixture.ts'
import { assertProblem, makeRegistration } from '../waitlist-fixture.ts'
import { filesOf, openStore, removeFiles } from './sqlite-fixture.ts'

const MANY = 100_000
const KEY = makeKey(1)
const openStorage = (t: TestContext, file: string): Promise<Storage> =>
  openStore(t, { file, busyTimeoutMs: 300 })

/** A database with one key in it, in a folder of its own. */
async function openWithKey(t: TestContext): Promise<{ file: string; storage: Storage }> {
  const file = path.join(temporaryFolder(t), 'data', 'service.sqlite')
  const storage = await openStorage(t, file)
  await storage.apiKeys.add(KEY, MANY)
  return { file, storage }
}

async function isFound(apiKeys: ApiKeyStore, keyId = KEY.keyId): Promise<boolean> {
  return (await apiKeys.find(keyId)) !== undefined
}

/** How often this process has a file open. */
function timesOpen(file: string): number {
  return fs.readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`) === file
    } catch {
      return false
    }
  }).length
}

test(
  'the first find opens the files once, and close releases them',
  { skip: !fs.existsSync('/proc/self/fd') && 'no /proc' },
  async (t) => {
    const file = temporaryDatabase(t)
    const storage = await openStorage(t, file)
    assert.equal(timesOpen(file), 0)
    for (let turn = 0; turn < 10; turn += 1) await storage.apiKeys.find(KEY.keyId)
    assert.equal(timesOpen(file), 1)
    await storage.close()
    assert.equal(timesOpen(file), 0)
    assert.deepEqual(filesOf(file), [file])
  },
)

test('find waits for no writer', async (t) => {
  const { file, storage } = await openWithKey(t)
  const { apiKeys } = await openStorage(t, file)
  using holder = new DatabaseSync(file)
  holder.exec(
    `BEGIN IMMEDIATE; UPDATE api_keys SET revoked_at_ms = 1, ends_at_ms = 1 WHERE key_id <> ''`,
  )
  for (let turn = 0; turn < 100; turn += 1) {
    assert.equal((await apiKeys.find(KEY.keyId))?.revokedAtMs, null)
  }
  // A write that was sent with it fails alone.
  const revoking = assertProblem('LOCKED', storage.apiKeys.revoke(KEY.keyId, CREATED_AT_MS))
  assert.equal((await storage.apiKeys.find(KEY.keyId))?.revokedAtMs, null)
  await revoking
  holder.exec('COMMIT')
  assert.equal((await apiKeys.find(KEY.keyId))?.revokedAtMs, 1)
})

test('a lock that keeps even readers out is a failure', async (t) => {
  const { file, storage } = await openWithKey(t)
  await storage.close()
  const { apiKeys } = await openStorage(t, file)
  using holder = new DatabaseSync(file)
  holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE')
  await assertProblem('LOCKED', apiKeys.find(KEY.keyId))
  holder.close()
  assert.ok(await isFound(apiKeys))
})

test('a deleted database has no keys until it is restored', async (t) => {
  const { file, storage } = await openWithKey(t)
  const { apiKeys } = storage
  assert.ok(await isFound(apiKeys))
  const kept = `${path.dirname(file)}.kept`
  fs.renameSync(path.dirname(file), kept)
  for (let turn = 0; turn < 3; turn += 1) await assertProblem('MISSING', apiKeys.find(KEY.keyId))
  fs.renameSync(kept, path.dirname(file))
  assert.ok(await isFound(apiKeys))

  removeFiles(file)
  await assertProblem('MISSING', apiKeys.find(KEY.keyId))
  fs.writeFileSync(file, '')
  await assertProblem('MISSING', apiKeys.find(KEY.keyId))
  // Any writer creates it again.
  assert.equal(await apiKeys.add(makeKey(2), MANY), 'added')
  assert.ok(!(await isFound(apiKeys)))
  assert.ok(await isFound(apiKeys, makeKey(2).keyId))
})

test('a database that is moved away and back keeps its rows and gets none of those written meanwhile', async (t) => {
  const { file, storage } = await openWithKey(t)
  const { keyId, keyHash } = KEY
  fs.renameSync(file, `${file}.aside`)
  // Nothing but a new row creates a database in its place.
  const rehashed = { keyId, fromSecretId: 'none', secretId: 'none', keyHash }
  for (const call of [
    storage.apiKeys.rehash(rehashed),
    storage.apiKeys.revoke(keyId, CREATED_AT_MS),
    storage.waitlist.expire(CREATED_AT_MS, 10),
  ]) {
    await assert.rejects(call, { code: 'MISSING' })
  }
  assert.equal(fs.existsSync(file), false)
  await storage.waitlist.add(makeRegistration(1))
  fs.renameSync(`${file}.aside`, file)
  assert.equal(await isFound(storage.apiKeys), true)
  assert.deepEqual((await storage.waitlist.count()).total, 0)
})

test('reads a database that replaced another', async (t) => {
  const { file, storage } = await openWithKey(t)
  const copy = `${file}.copy`
  await backUpDatabase(file, copy)
  await storage.apiKeys.revoke(KEY.keyId, CREATED_AT_MS)
  assert.equal((await storage.apiKeys.find(KEY.keyId))?.revokedAtMs, CREATED_AT_MS)
  removeFiles(file)
  fs.renameSync(copy, file)
  assert.equal((await storage.apiKeys.find(KEY.keyId))?.revokedAtMs, null)
  await storage.apiKeys.revoke(KEY.keyId, CREATED_AT_MS + 1)
  assert.equal((await storage.apiKeys.find(KEY.keyId))?.revokedAtMs, CREATED_AT_MS + 1)
})

test('a database of another version fails, and the next find retries', async (t) => {
  const { file, storage } = await openWithKey(t)
  const { apiKeys } = storage
  assert.ok(await isFound(apiKeys))
  const copy = `${file}.copy`
  await backUpDatabase(file, copy)
  removeFiles(file)
  fs.writeFileSync(file, 'no database of anything')
  for (let turn = 0; turn < 3; turn += 1) {
    await assertProblem('NOT_A_DATABASE', apiKeys.find(KEY.keyId))
  }
  removeFiles(file)
  fs.copyFileSync(copy, file)
  using database = new DatabaseSync(file)
  database.exec('PRAGMA user_version = 1000')
  database.close()
  await assertProblem('NEWER', apiKeys.find(KEY.keyId))
  removeFiles(file)
  fs.renameSync(copy, file)
  assert.ok(await isFound(apiKeys))
})

test('a damaged database is a failure until it is repaired', async (t) => {
  const { file, storage } = await openWithKey(t)
  for (let number = 100; number < 400; number += 1) {
    void storage.apiKeys.add(makeKey(number), MANY)
  }
  // An erasure writes the WAL back and empties it.
  await storage.waitlist.erase(makeRegistration(1).addressHash)
  const copy = `${file}.copy`
  await backUpDatabase(file, copy)
  const reading = await openStorage(t, file)
  assert.ok(await isFound(reading.apiKeys))
  // By another process: to close the file in this one would drop SQLite's locks on it.
  execFileSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=4096', 'seek=2', 'count=500'], {
    stdio: 'ignore',
  })
  await assertProblem('DAMAGED', openStorage(t, file))
  const damaged = await openStore(t, { file }, 'read-write')
  const { apiKeys } = damaged
  await assertProblem('NOT_A_DATABASE', apiKeys.find(KEY.keyId))
  await assertProblem('NOT_A_DATABASE', apiKeys.find(makeKey(300).keyId))
  // Who has the page still may answer from it, and fails in no other way.
  await reading.apiKeys.find(KEY.keyId).catch((error: unknown) => {
    assert.ok(error instanceof StorageError)
  })
  removeFiles(file)
  fs.renameSync(copy, file)
  for (const each of [apiKeys, reading.apiKeys]) {
    assert.ok(await isFound(each))
    assert.ok(await isFound(each, makeKey(300).keyId))
  }
})

test('a deleted WAL loses no key', async (t) => {
  for (const names of [['-wal'], ['-shm'], ['-wal', '-shm']]) {
    const { file, storage } = await openWithKey(t)
    const { apiKeys } = storage
    assert.ok(await isFound(apiKeys))
    for (const name of names) fs.rmSync(`${file}${name}`)
    assert.ok(await isFound(apiKeys))
    assert.equal(filesOf(file).length, 3)
    for (const name of names) fs.rmSync(`${file}${name}`)
    assert.equal(await apiKeys.add(makeKey(2), MANY), 'added')
    assert.ok(await isFound(apiKeys, makeKey(2).keyId))
    assert.equal(filesOf(file).length, 3)
    await apiKeys.revoke(KEY.keyId, CREATED_AT_MS)
    await storage.close()
    const again = await openStorage(t, file)
    assert.equal((await again.apiKeys.find(KEY.keyId))?.revokedAtMs, CREATED_AT_MS)
    assert.ok(await isFound(again.apiKeys, makeKey(2).keyId))
  }
})
