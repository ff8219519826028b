import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StoredApiKey } from '../../src/storage/api-key-store.ts'
import { openReopeningStorage } from '../../src/storage/reopening-storage.ts'
import { StorageError, type Storage } from '../../src/storage/storage.ts'

/** A call of the key store: its name and its arguments. */
type Call = readonly unknown[]

const KEY: StoredApiKey = {
  keyId: '0123456789abcdef',
  keyHash: new Uint8Array(32),
  secretId: 'secret',
  label: null,
  createdAtMs: 0,
  expiresAtMs: 1,
  revokedAtMs: null,
}

/** A store that is opened only from the given attempt on, and counts what is asked of it. */
function lateStorage(opensAt: number) {
  const counts = { attempts: 0, adds: 0, closes: 0 }
  const calls: Call[] = []
  function noted<Value>(name: string, args: readonly unknown[], value: Value): Value {
    calls.push([name, ...args])
    return value
  }
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
    apiKeys: {
      find: async (...args) => noted('find', args, KEY),
      add: async (...args) => noted('add', args, 'added'),
      revoke: async (...args) => noted('revoke', args, 7),
      rehash: async (...args) => noted('rehash', args, true),
      count: async (...args) => noted('count', args, { active: 1, expired: 2, revoked: 3 }),
      readAfter: async (...args) => noted('readAfter', args, [KEY]),
      purge: async (...args) => noted('purge', args, 9),
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
  return { counts, calls, storage, open }
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

test('calls of the keys go to the store that is behind it, and their answers come back', async () => {
  const { counts, calls, open } = lateStorage(2)
  const { apiKeys, close } = await openReopeningStorage(open, () => {})
  const rehash = { keyId: KEY.keyId, fromSecretId: 'old', secretId: 'new', keyHash: KEY.keyHash }
  assert.equal(await apiKeys.find(KEY.keyId), KEY)
  assert.equal(await apiKeys.add(KEY, 5), 'added')
  assert.equal(await apiKeys.revoke(KEY.keyId, 7), 7)
  assert.equal(await apiKeys.rehash(rehash), true)
  assert.deepEqual(await apiKeys.count(3), { active: 1, expired: 2, revoked: 3 })
  assert.deepEqual(await apiKeys.readAfter('', 4), [KEY])
  assert.equal(await apiKeys.purge(8), 9)
  assert.deepEqual(calls, [
    ['find', KEY.keyId],
    ['add', KEY, 5],
    ['revoke', KEY.keyId, 7],
    ['rehash', rehash],
    ['count', 3],
    ['readAfter', '', 4],
    ['purge', 8],
  ])
  assert.equal(counts.attempts, 2)
  await close()
  await assert.rejects(apiKeys.find(KEY.keyId), { code: 'CLOSED' })
})

test('keys that cannot be reached are told so with the reason', async () => {
  const { apiKeys } = await openReopeningStorage(lateStorage(99).open, () => {})
  await assert.rejects(apiKeys.find(KEY.keyId), { code: 'FULL' })
  await assert.rejects(apiKeys.purge(1), { code: 'FULL' })
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
