import assert from 'node:assert/strict'
import fs from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { openSqliteConnection } from '../../../src/storage/sqlite/sqlite-connection.ts'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { temporaryDatabase } from '../../support/temporary-folder.ts'
import { assertProblem, bytesOf, makeRegistration, readAll } from '../waitlist-fixture.ts'
import { isTraceLeft, readFilesOf } from './sqlite-bytes.ts'
import { openStore } from './sqlite-fixture.ts'

/** A reader that has begun and does not end, as a shell left open or a slow copy. */
function holdReader(t: TestContext, file: string): () => void {
  const reader = new DatabaseSync(file, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM registrations').get()
  const release = (): void => {
    if (reader.isOpen) reader.close()
  }
  t.after(release)
  return release
}

test('an erasure removes the content from the database and its WAL', async (t) => {
  const file = temporaryDatabase(t)
  const { waitlist } = await openStore(t, { file })
  await openStore(t, { file }, 'read-write')
  const rows = Array.from({ length: 300 }, (_, number) =>
    // Some of them fill pages of their own.
    makeRegistration(number, number % 50 === 0 ? { sealed: bytesOf(`${number}`, 9000) } : {}),
  )
  for (const row of rows) await waitlist.add(row)
  for (const number of [0, 1, 150, 200, 299]) {
    const { addressHash, sealed, ticket } = makeRegistration(number, rows[number])
    for (const bytes of [addressHash, sealed]) assert.ok(isTraceLeft(file, bytes))
    assert.ok(await waitlist.erase(addressHash))
    for (const bytes of [addressHash, sealed]) assert.ok(!isTraceLeft(file, bytes), `${number}`)
    assert.ok(!readFilesOf(file).includes(ticket))
  }
  assert.equal((await waitlist.count()).total, 295)
})

test('an erasure is refused while a reader is active and succeeds afterwards', async (t) => {
  const file = temporaryDatabase(t)
  const { waitlist } = await openStore(t, { file, busyTimeoutMs: 100 })
  const row = makeRegistration(1)
  await waitlist.add(row)
  const release = holdReader(t, file)
  await assertProblem('LOCKED', waitlist.erase(row.addressHash))
  assert.equal((await readAll(waitlist)).length, 1)
  assert.equal(await waitlist.add(makeRegistration(2)), 'added')
  release()
  assert.ok(await waitlist.erase(row.addressHash))
  assert.ok(!isTraceLeft(file, row.sealed))
})

test('removes a replaced seal as soon as no reader needs it', async (t) => {
  const file = temporaryDatabase(t)
  const { waitlist } = await openStore(t, { file, busyTimeoutMs: 100 })
  const row = makeRegistration(1)
  await waitlist.add(row)
  const [stored] = await readAll(waitlist)
  const seal = (fromRecipient: string, recipient: string) => ({
    position: stored?.position ?? 0,
    fromRecipient,
    recipient,
    sealed: bytesOf(recipient, 640),
  })
  assert.equal(await waitlist.reseal([seal('age1first', 'age1second')]), 1)
  assert.ok(!isTraceLeft(file, row.sealed))
  const release = holdReader(t, file)
  assert.equal(await waitlist.reseal([seal('age1second', 'age1third')]), 1)
  assert.ok(isTraceLeft(file, bytesOf('age1second', 640)))
  release()
  // The next call of any kind pays what is owed.
  await waitlist.count()
  assert.ok(!isTraceLeft(file, bytesOf('age1second', 640)))
})

test('stores nothing that a known address sends', async (t) => {
  const file = temporaryDatabase(t)
  const { waitlist } = await openStore(t, { file })
  const { addressHash } = makeRegistration(1)
  await waitlist.add(makeRegistration(1))
  for (let number = 100; number < 130; number += 1) {
    const repeated = makeRegistration(number, { addressHash })
    assert.equal(await waitlist.add(repeated), 'duplicate')
  }
  const held = readFilesOf(file)
  for (let number = 100; number < 130; number += 1) {
    const { sealed, ticket } = makeRegistration(number)
    assert.ok(!isTraceLeft(file, sealed))
    assert.ok(!held.includes(ticket))
  }
})

/** The pages that each call writes to the WAL, on average. */
async function pagesPerCall(
  file: string,
  numbers: readonly number[],
  add: (number: number) => Promise<unknown>,
): Promise<number> {
  const shell = openSqliteConnection('read-write', { file })
  shell.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  shell.close()
  for (const number of numbers) await add(number)
  // A frame of the WAL is a page and 24 bytes (https://sqlite.org/fileformat2.html, section 4.1).
  return fs.statSync(`${file}-wal`).size / (4096 + 24) / numbers.length
}

test('a known address writes as many pages as a new one', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openStore(t, { file })
  const add = (number: number) => storage.waitlist.add(makeRegistration(number))
  const range = (first: number, length: number) =>
    Array.from({ length }, (_, index) => first + index)
  // A list in use: its index has grown beyond one page, and decoys were written.
  for (const number of range(0, 1000)) await add(number)
  for (const number of range(0, 1000)) await add(number)
  const forNew = await pagesPerCall(file, range(1000, 150), add)
  const forKnown = await pagesPerCall(file, range(200, 150), add)
  const ratio = forKnown / forNew
  assert.ok(forNew > 3, `${forNew} pages for a new address`)
  assert.ok(
    ratio > 0.85 && ratio < 1.15,
    `${forKnown} pages for a known one, ${forNew} for a new one`,
  )
  assert.equal((await storage.waitlist.count()).total, 1150)
})

test('decoys use bounded space and share no bytes with a row', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openSqlite('create', { file })
  await storage.waitlist.add(makeRegistration(1))
  for (let round = 0; round < 500; round += 1) await storage.waitlist.add(makeRegistration(1))
  await storage.close()
  using database = new DatabaseSync(file, { readOnly: true })
  const decoys = database.prepare('SELECT slot, length(sealed) AS length, * FROM decoys').all()
  assert.ok(decoys.length > 64 && decoys.length <= 128, `${decoys.length} decoys`)
  const { addressHash, sealed, ticket, registeredAtMs } = makeRegistration(1)
  for (const decoy of decoys) {
    assert.equal(decoy.length, sealed.length)
    assert.match(String(decoy.ticket), /^EA-[0-9A-F]{16}$/)
    assert.notEqual(decoy.ticket, ticket)
    assert.notEqual(decoy.registered_at_ms, registeredAtMs)
    assert.notDeepEqual(decoy.address_hash, addressHash)
    assert.notDeepEqual(decoy.sealed, sealed)
  }
})

test('a decoy that replaces another is entirely new', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openStore(t, { file })
  using database = new DatabaseSync(file, { readOnly: true })
  const readDecoys = () =>
    new Map(
      database
        .prepare('SELECT * FROM decoys')
        .all()
        .map((decoy) => [decoy.slot, decoy] as const),
    )
  const [short, long] = [makeRegistration(1), makeRegistration(2)]
  assert.notEqual(short.sealed.length, long.sealed.length)
  await storage.waitlist.add(short)
  await storage.waitlist.add(long)
  await Promise.all(Array.from({ length: 500 }, () => storage.waitlist.add(short)))
  const before = readDecoys()
  await Promise.all(Array.from({ length: 500 }, () => storage.waitlist.add(long)))
  let replaced = 0
  for (const [slot, decoy] of readDecoys()) {
    const old = before.get(slot)
    if (
      old === undefined ||
      Buffer.from(decoy.address_hash as Uint8Array).equals(old.address_hash as Uint8Array)
    )
      continue
    replaced += 1
    assert.equal((decoy.sealed as Uint8Array).length, long.sealed.length)
    assert.notEqual(decoy.ticket, old.ticket)
    assert.notEqual(decoy.registered_at_ms, old.registered_at_ms)
  }
  // Of 128 slots about two are missed by 500 draws.
  assert.ok(replaced > 64, `${replaced} were replaced`)
})
