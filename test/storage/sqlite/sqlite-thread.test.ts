import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Worker } from 'node:worker_threads'
import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { temporaryDatabase } from '../../support/temporary-folder.ts'
import { assertProblem, makeRegistration } from '../waitlist-fixture.ts'
import { holdLock, openStore } from './sqlite-fixture.ts'

/** The threads that are started from now on. */
function watchThreads(t: TestContext): readonly Worker[] {
  const threads: Worker[] = []
  const note = (thread: Worker): void => {
    threads.push(thread)
  }
  process.on('worker', note)
  t.after(() => process.off('worker', note))
  return threads
}

test('the thread starts with the first call and serves all calls', async (t) => {
  const threads = watchThreads(t)
  const storage = await openSqlite('create', { file: temporaryDatabase(t) })
  assert.equal(threads.length, 0)
  await Promise.all([storage.waitlist.count(), storage.waitlist.add(makeRegistration(1))])
  await storage.waitlist.add(makeRegistration(2))
  assert.equal(threads.length, 1)
  await storage.close()
  // The number of a thread that has ended is -1.
  assert.equal(threads[0]?.threadId, -1)
  await assertProblem('CLOSED', storage.waitlist.count())
  assert.equal(threads.length, 1)
})

test('the serving thread continues while the database is locked', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openStore(t, { file, busyTimeoutMs: 300 })
  await storage.waitlist.count()
  holdLock(t, file)
  const waiting = new Set([storage.waitlist.add(makeRegistration(1))])
  const settled = assertProblem('LOCKED', Promise.all(waiting)).finally(() => waiting.clear())
  let turns = 0
  while (waiting.size > 0) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    turns += 1
  }
  await settled
  assert.ok(turns > 100, `only ${turns} turns of the event loop while one call waited for the lock`)
})

test('calls that wait for a lock share a transaction', async (t) => {
  const file = temporaryDatabase(t)
  const storage = await openStore(t, { file, busyTimeoutMs: 20_000 })
  await storage.waitlist.count()
  const release = holdLock(t, file)
  const adds = Array.from({ length: 100 }, (_, number) =>
    storage.waitlist.add(makeRegistration(number)),
  )
  release()
  assert.deepEqual(new Set(await Promise.all(adds)), new Set(['added']))
})

test('the thread handles a thousand large seals concurrently', async (t) => {
  const storage = await openStore(t, { file: temporaryDatabase(t) })
  const adds = Array.from({ length: 1000 }, (_, number) =>
    storage.waitlist.add(makeRegistration(number, { sealed: new Uint8Array(8000).fill(number) })),
  )
  await Promise.all(adds)
  const rows = await storage.waitlist.readAfter(0, 1000)
  assert.equal(rows.length, 1000)
  const seals = rows.map(({ position, recipient, sealed }) => ({
    position,
    fromRecipient: recipient,
    recipient: 'age1second',
    sealed,
  }))
  assert.equal(await storage.waitlist.reseal(seals), 1000)
})
