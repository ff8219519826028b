import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openSqliteConnection } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { APPLICATION_ID, MIGRATIONS } from '../../../src/storage/sqlite/sqlite-migrations.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { temporaryDatabase } from '../../support/temporary-folder.ts'
import { CREATED_AT_MS, makeKey } from '../api-keys-fixture.ts'
import { assertProblem, bytesOf, makeRegistration, readAll } from '../waitlist-fixture.ts'
import { holdLock, openStore } from './sqlite-fixture.ts'

const MANY = 1000

test('changing the bytes after the call does not change the key', async (t) => {
  const { apiKeys } = await openStore(t, { file: temporaryDatabase(t) })
  const inside = Buffer.concat([Buffer.alloc(5), bytesOf('inside', 32), Buffer.alloc(5)])
  const key = makeKey(1, { keyHash: inside.subarray(5, 37) })
  const adding = apiKeys.add(key, MANY)
  inside.fill(0)
  await adding
  const found = await apiKeys.find(key.keyId)
  assert.deepEqual(new Uint8Array(found?.keyHash ?? []), bytesOf('inside', 32))
  // Nor does what is done to the bytes that were found.
  found?.keyHash.fill(0)
  const again = await apiKeys.find(key.keyId)
  assert.deepEqual(new Uint8Array(again?.keyHash ?? []), bytesOf('inside', 32))
})

test('close finishes pending calls and refuses later ones', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openStore(t, { file })
  const { apiKeys } = storage
  const { keyId } = makeKey(1)
  await apiKeys.find(keyId)
  const begun = Array.from({ length: 20 }, (_, number) => apiKeys.add(makeKey(number), MANY))
  const closing = storage.close()
  await assertProblem('CLOSED', apiKeys.find(keyId))
  assert.deepEqual(new Set(await Promise.all(begun)), new Set(['added']))
  await closing
  const rehash = { keyId, fromSecretId: 'a', secretId: 'b', keyHash: bytesOf('b', 32) }
  await assertProblem('CLOSED', apiKeys.find(keyId))
  await assertProblem('CLOSED', apiKeys.add(makeKey(99), MANY))
  await assertProblem('CLOSED', apiKeys.revoke(keyId, CREATED_AT_MS))
  await assertProblem('CLOSED', apiKeys.rehash(rehash))
  await assertProblem('CLOSED', apiKeys.count(CREATED_AT_MS))
  await assertProblem('CLOSED', apiKeys.readAfter('', 1))
  await assertProblem('CLOSED', apiKeys.purge(CREATED_AT_MS, MANY))
  const again = await openStore(t, { file })
  assert.equal((await again.apiKeys.count(CREATED_AT_MS)).active, 20)
})

test('a purge stopped by a lock can be repeated', async (t) => {
  const file = temporaryDatabase(t)
  const { apiKeys } = await openStore(t, { file, busyTimeoutMs: 50 })
  await apiKeys.add(makeKey(1), MANY)
  const release = holdLock(t, file)
  await assertProblem('LOCKED', apiKeys.purge(Number.MAX_SAFE_INTEGER, MANY))
  await assertProblem('LOCKED', apiKeys.revoke(makeKey(1).keyId, CREATED_AT_MS))
  assert.equal((await apiKeys.find(makeKey(1).keyId))?.revokedAtMs, null)
  assert.equal((await apiKeys.count(CREATED_AT_MS)).active, 1)
  release()
  assert.equal(await apiKeys.purge(Number.MAX_SAFE_INTEGER, MANY), 1)
})

test('a database from before API keys gains the tables and keeps its waitlist', async (t) => {
  const file = temporaryDatabase(t)
  const old = new DatabaseSync(file)
  old.exec('PRAGMA journal_mode = WAL')
  old.exec(MIGRATIONS[0] ?? '')
  old.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = 1`)
  const insert = old.prepare('INSERT INTO registrations VALUES (?, ?, ?, 1, ?, ?)')
  old.exec(`INSERT INTO recipients VALUES (1, 'age1first')`)
  const registrations = [0, 1, 2].map((number) => makeRegistration(number))
  for (const [index, row] of registrations.entries()) {
    const { addressHash, ticket, registeredAtMs, sealed } = row
    insert.run(index * 10 + 5, addressHash, ticket, registeredAtMs, sealed)
  }
  old.close()
  await assertProblem('OLDER', openSqlite('read-only', { file }))

  const { waitlist, apiKeys } = await openStore(t, { file })
  assert.equal(await apiKeys.add(makeKey(1), 1), 'added')
  assert.equal(await waitlist.add(makeRegistration(1)), 'duplicate')
  const rows = await readAll(waitlist)
  assert.deepEqual(
    rows.map(({ position, ticket }) => [position, ticket]),
    registrations.map(({ ticket }, index) => [index * 10 + 5, ticket]),
  )
})

test('the table rejects a key of another format', (t) => {
  using database = openSqliteConnection('create', { file: temporaryDatabase(t) })
  const insert = database.prepare(
    `INSERT INTO api_keys VALUES (?, ?, 'secret', NULL, 1, 2, NULL, 2)`,
  )
  const hash = new Uint8Array(32)
  for (const keyId of ['-'.repeat(16), '0123456789ABCDEF', '0123456789abcde', 'x'.repeat(17)]) {
    assert.throws(() => insert.run(keyId, hash), /CHECK constraint failed/, keyId)
  }
  assert.throws(() => insert.run('0123456789abcdef', new Uint8Array(31)), /CHECK constraint failed/)
  assert.throws(() => insert.run('', hash), /UNIQUE constraint failed/)
  insert.run('0123456789abcdef', hash)
  for (const change of ['revoked_at_ms = 1', 'expires_at_ms = 1', 'ends_at_ms = 1']) {
    assert.throws(
      () => database.exec(`UPDATE api_keys SET ${change} WHERE key_id <> ''`),
      /CHECK constraint failed/,
      change,
    )
  }
})

test('counting active keys, adding and purging read no other rows', (t) => {
  using database = openSqliteConnection('create', { file: temporaryDatabase(t) })
  for (const condition of ['ends_at_ms > 5 AND revoked_at_ms IS NULL', 'ends_at_ms < 5']) {
    const plan = database
      .prepare(`EXPLAIN QUERY PLAN SELECT key_id FROM api_keys WHERE ${condition}`)
      .all()
      .map(({ detail }) => String(detail))
    assert.equal(plan.length, 1)
    assert.match(
      plan[0] ?? '',
      /^SEARCH api_keys USING COVERING INDEX api_keys_by_end \(ends_at_ms/,
    )
  }
})
