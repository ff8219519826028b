import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { renameSync, rmSync } from 'node:fs'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { keyIdPlaceOf } from '../../src/contract/api-key.ts'
import { copyDatabase } from '../../src/storage/sqlite-copy.ts'
import { openSqliteStorageHere } from '../../src/storage/sqlite-here.ts'
import { runKeyedApp, SELF, type KeyedApp } from '../support/keyed-app.ts'
import { ask, codeOf } from '../support/signed-answer.ts'
import { makeRegistration } from '../storage/waitlist-fixture.ts'

// A key that was accepted is remembered, so that its next request asks nothing of the database but whether anything has
// changed. Whatever changes in it, by whomever, holds from the next request on all the same.

/** Longer than the reader may go on with a file that is another by now. */
const PLACE_NOTICED_MS = 20

interface CountingApp extends KeyedApp {
  /** The status, and the code of an error behind it. */
  outcome(key: string): Promise<string>
  /** Look-ups since this was asked last. */
  lookUps(): number
}

async function runCountingApp(t: TestContext): Promise<CountingApp> {
  let found = 0
  const app = await runKeyedApp(t, {
    store: (store) => ({
      ...store,
      find(keyId) {
        found += 1
        return store.find(keyId)
      },
    }),
  })
  return {
    ...app,
    async outcome(key) {
      const answer = await ask(app, SELF, { headers: { 'X-SVC-Key': key } })
      return `${answer.status} ${codeOf(answer) ?? ''}`.trim()
    },
    lookUps() {
      const counted = found
      found = 0
      return counted
    },
  }
}

/** Two keys, used until they are known. */
async function makeKnown(app: CountingApp): Promise<readonly [one: string, other: string]> {
  const keys = [await app.makeKey(), await app.makeKey()] as const
  for (const key of keys) assert.equal(await app.outcome(key), '200')
  assert.equal(app.lookUps(), 2)
  for (const key of [...keys, ...keys]) assert.equal(await app.outcome(key), '200')
  assert.equal(app.lookUps(), 0)
  return keys
}

/** A statement run in the database by another process. */
function runElsewhere(file: string, statement: string): void {
  const program = `
    const database = new (require('node:sqlite').DatabaseSync)(process.argv[1])
    database.exec(process.argv[2])
    database.close()`
  execFileSync(process.execPath, ['-e', program, file, statement])
}

const idOf = (key: string) => keyIdPlaceOf(key)

test('a key that another process revokes is refused at its next request', async (t) => {
  const app = await runCountingApp(t)
  const [one, other] = await makeKnown(app)
  runElsewhere(
    app.file,
    `UPDATE api_keys SET revoked_at_ms = 1, ends_at_ms = 1 WHERE key_id = '${idOf(one)}'`,
  )
  assert.equal(await app.outcome(one), '401 KEY_INVALID')
  assert.equal(await app.outcome(other), '200')
  assert.equal(app.lookUps(), 2)
  assert.equal(await app.outcome(other), '200')
  assert.equal(app.lookUps(), 0)
})

test('a key that is revoked or removed beside the service, or with its own DELETE, is refused at its next request', async (t) => {
  const app = await runCountingApp(t)
  const beside = await openSqliteStorageHere({ file: app.file, mode: 'read-write' })
  t.after(() => beside.close())
  for (const change of [
    (key: string) => beside.apiKeys.revoke(idOf(key), app.clock.ms),
    async (key: string) => {
      await beside.apiKeys.revoke(idOf(key), app.clock.ms)
      assert.equal(await beside.apiKeys.purge(app.clock.ms + 1), 2)
    },
    (key: string) => app.store.revoke(idOf(key), app.clock.ms),
    (key: string) => ask(app, SELF, { method: 'DELETE', headers: { 'X-SVC-Key': key } }),
  ]) {
    const [one, other] = await makeKnown(app)
    await change(one)
    assert.equal(await app.outcome(one), '401 KEY_INVALID')
    assert.equal(await app.outcome(other), '200')
    app.lookUps()
  }
})

test('a known key expires to the millisecond', async (t) => {
  const app = await runCountingApp(t)
  const key = await app.makeKey({ ttlDays: 1 })
  assert.equal(await app.outcome(key), '200')
  app.clock.ms += 86_400_000 - 1
  assert.equal(await app.outcome(key), '200')
  app.clock.ms += 1
  assert.equal(await app.outcome(key), '401 KEY_EXPIRED')
  assert.equal(app.lookUps(), 1)
})

test('a database in which the key is revoked, put in the place of the one it is known from, is the one that counts', async (t) => {
  const app = await runCountingApp(t)
  const [one, other] = await makeKnown(app)
  const copy = `${app.file}.copy`
  await copyDatabase(app.file, copy)
  runElsewhere(
    copy,
    `UPDATE api_keys SET revoked_at_ms = 1, ends_at_ms = 1 WHERE key_id = '${idOf(one)}'`,
  )
  for (const suffix of ['-wal', '-shm']) rmSync(app.file + suffix)
  renameSync(copy, app.file)
  await sleep(PLACE_NOTICED_MS)
  assert.equal(await app.outcome(one), '401 KEY_INVALID')
  assert.equal(await app.outcome(other), '200')
})

test('what changes nothing of the keys makes them looked up once more, and no worse', async (t) => {
  const app = await runCountingApp(t)
  const [one, other] = await makeKnown(app)
  const beside = await openSqliteStorageHere({ file: app.file, mode: 'read-write' })
  t.after(() => beside.close())
  await beside.waitlist.add(makeRegistration(1))
  for (const key of [one, other, one, other]) assert.equal(await app.outcome(key), '200')
  assert.equal(app.lookUps(), 2)
  // The log is written back and emptied, which leaves every row as it is.
  await beside.waitlist.erase(makeRegistration(1).addressHash)
  for (const key of [one, other, one, other]) assert.equal(await app.outcome(key), '200')
  assert.ok(app.lookUps() <= 4)
})

test('a refused key is never remembered, and makes nothing else forgotten', async (t) => {
  const app = await runCountingApp(t)
  const [one] = await makeKnown(app)
  const wrong = one.slice(0, -1) + (one.endsWith('A') ? 'B' : 'A')
  for (let each = 0; each < 5; each += 1) {
    assert.equal(await app.outcome(wrong), '401 KEY_INVALID')
    assert.equal(await app.outcome(one), '200')
  }
  assert.equal(app.lookUps(), 5)
})
