import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openReopeningStorage } from '../../src/storage/reopening-storage.ts'
import { StorageError, type Storage } from '../../src/storage/storage.ts'

/** A store that is opened only from the given attempt on, and counts what is asked of it. */
function lateStorage(opensAt: number) {
  const counts = { attempts: 0, adds: 0, closes: 0 }
  const storage: Storage = {
    waitlist: {
      add: () => {
        counts.adds += 1
        return Promise.resolve('added')
      },
      count: () => Promise.reject(new Error('not asked for')),
      readAfter: () => Promise.reject(new Error('not asked for')),
      erase: () => Promise.reject(new Error('not asked for')),
      reseal: () => Promise.reject(new Error('not asked for')),
    },
    close: () => {
      counts.closes += 1
      return Promise.resolve()
    },
  }
  const open = () => {
    counts.attempts += 1
    return counts.attempts < opensAt
      ? Promise.reject(new StorageError('FULL', 'service.sqlite'))
      : Promise.resolve(storage)
  }
  return { counts, storage, open }
}

const REGISTRATION = {
  ticket: 'EA-0123456789ABCDEF',
  addressHash: new Uint8Array(32),
  recipient: 'age1',
  sealed: new Uint8Array(1),
  registeredAtMs: 0,
}

test('a store that opens is handed on as it is', async () => {
  const { storage, open } = lateStorage(1)
  const opened = await openReopeningStorage(open, () => assert.fail('there was no failure'))
  assert.equal(opened, storage)
})

test('a store that cannot be opened just now is tried again at each call, and told of once', async () => {
  const { counts, open } = lateStorage(3)
  const failures: string[] = []
  const opened = await openReopeningStorage(open, ({ code }) => failures.push(code))
  await assert.rejects(opened.waitlist.add(REGISTRATION), { code: 'FULL' })
  assert.equal(await opened.waitlist.add(REGISTRATION), 'added')
  assert.equal(await opened.waitlist.add(REGISTRATION), 'added')
  assert.deepEqual(counts, { attempts: 3, adds: 2, closes: 0 })
  assert.deepEqual(failures, ['FULL'])
  await opened.close()
  assert.equal(counts.closes, 1)
  await assert.rejects(opened.waitlist.add(REGISTRATION), { code: 'CLOSED' })
})

test('calls that come together share one attempt', async () => {
  const { counts, open } = lateStorage(2)
  const opened = await openReopeningStorage(open, () => {})
  await Promise.all([1, 2, 3].map(() => opened.waitlist.add(REGISTRATION)))
  assert.deepEqual(counts, { attempts: 2, adds: 3, closes: 0 })
})

test('what will not go away by itself is told at once, and so is what the caller makes of a failure', async () => {
  const newer = () => Promise.reject(new StorageError('NEWER', 'service.sqlite'))
  await assert.rejects(
    openReopeningStorage(newer, () => assert.fail('not a passing failure')),
    { code: 'NEWER' },
  )
  await assert.rejects(
    openReopeningStorage(lateStorage(2).open, (error) => {
      throw error
    }),
    { code: 'FULL' },
  )
})

test('a store that never opened is closed without one', async () => {
  const { counts, open } = lateStorage(99)
  const opened = await openReopeningStorage(open, () => {})
  await opened.close()
  assert.equal(counts.closes, 0)
})
