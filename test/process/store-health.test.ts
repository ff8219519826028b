import assert from 'node:assert/strict'
import { test } from 'node:test'
import { observeStorage, STORE_GRACE_MS } from '../../src/process/store-health.ts'
import { StorageError } from '../../src/storage/stores/storage-error.ts'
import type { Storage } from '../../src/storage/stores/storage.ts'

/** A store whose calls fail with what a test sets. */
function makeStore() {
  const state: { failure: Error | undefined; now: number } = { failure: undefined, now: 1000 }
  const calls: string[] = []
  const call =
    <Value>(name: string, value: Value) =>
    async () => {
      calls.push(name)
      state.now += 250
      if (state.failure !== undefined) throw state.failure
      return value
    }
  const storage: Storage = {
    waitlist: {
      testWrite: call('testWrite', undefined),
      add: call('add', 'added' as const),
      count: call('count', {
        total: 0,
        firstRegisteredAtMs: undefined,
        lastRegisteredAtMs: undefined,
        byRecipient: [],
      }),
      readAfter: call('readAfter', []),
      find: call('find', undefined),
      erase: call('erase', undefined),
      reseal: call('reseal', 0),
      expire: call('expire', 0),
    },
    apiKeys: {
      find: call('find', undefined),
      add: call('add', 'added' as const),
      revoke: call('revoke', undefined),
      rehash: call('rehash', false),
      count: call('count', { active: 0, expired: 0, revoked: 0 }),
      readAfter: call('readAfter', []),
      purge: call('purge', 0),
    },
    ping: call('ping', undefined),
    close: call('close', undefined),
  }
  return { state, calls, storage }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a store that is unavailable for 30 s makes the process not ready until a call succeeds', async () => {
  const { state, storage } = makeStore()
  const observed: unknown[][] = []
  const health = observeStorage(storage, (...args) => observed.push(args), {
    monotonicMs: () => state.now,
  })
  assert.deepEqual(health.reasons(), [])
  await health.storage.waitlist.count()
  assert.equal(health.unavailableForMs(), 0)

  state.failure = new StorageError('IO', 'file')
  await assert.rejects(health.storage.apiKeys.find('id'), StorageError)
  assert.equal(health.unavailableForMs(), 250)
  state.now += STORE_GRACE_MS - 251
  assert.deepEqual(health.reasons(), [])
  state.now += 1
  assert.deepEqual(health.reasons(), [
    {
      code: 'STORE_UNAVAILABLE',
      message: 'The store has been unavailable for 30 s; reads are served',
    },
  ])

  // A refusal of the call itself shows that the store works.
  state.failure = new Error('The key ID is taken')
  await assert.rejects(health.storage.apiKeys.find('id'))
  assert.deepEqual(health.reasons(), [])
  assert.deepEqual(observed, [
    ['waitlist.count', 0.25, true],
    ['apiKeys.find', 0.25, false],
    ['apiKeys.find', 0.25, true],
  ])
  health.close()
})

test('a store is probed without traffic, one probe at a time', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { state, calls, storage } = makeStore()
  const health = observeStorage(storage, () => {}, {
    monotonicMs: () => state.now,
    probeIntervalMs: 5000,
  })
  state.failure = new StorageError('LOCKED', 'file')
  t.mock.timers.tick(5000)
  t.mock.timers.tick(5000)
  await settled()
  assert.deepEqual(calls, ['rehash'])
  assert.ok(health.unavailableForMs() > 0)
  state.failure = undefined
  t.mock.timers.tick(5000)
  await settled()
  assert.equal(health.unavailableForMs(), 0)
  health.close()
  t.mock.timers.tick(50_000)
  // While the store fails, a probe writes.
  assert.deepEqual(calls, ['rehash', 'testWrite'])
})

test('while adding fails, neither a read nor a write without a row makes the process ready', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { state, calls, storage } = makeStore()
  const health = observeStorage(storage, () => {}, {
    monotonicMs: () => state.now,
    probeIntervalMs: 5000,
  })
  state.failure = new StorageError('FULL', 'file')
  await assert.rejects(health.storage.waitlist.add({} as never))
  state.failure = undefined
  await health.storage.apiKeys.find('id')
  await health.storage.waitlist.count()
  state.now += STORE_GRACE_MS
  assert.deepEqual(health.reasons(), [
    {
      code: 'STORE_UNAVAILABLE',
      message: 'The store has refused registrations and keys for 30 s; reads are served',
    },
  ])
  t.mock.timers.tick(5000)
  await settled()
  assert.equal(calls.at(-1), 'testWrite')
  assert.deepEqual(health.reasons(), [])
  health.close()
})

test('a store that works is probed with a write now and then', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { state, calls, storage } = makeStore()
  const health = observeStorage(storage, () => {}, {
    monotonicMs: () => state.now,
    probeIntervalMs: 5000,
  })
  for (let each = 0; each < 24; each += 1) {
    t.mock.timers.tick(5000)
    await settled()
  }
  assert.equal(calls.filter((call) => call === 'testWrite').length, 2)
  health.close()
})

test('closing a store is not an outage', async () => {
  const { state, storage } = makeStore()
  const health = observeStorage(storage, () => {}, { monotonicMs: () => state.now })
  state.failure = new StorageError('CLOSED', 'file')
  await assert.rejects(health.storage.waitlist.count())
  assert.equal(health.unavailableForMs(), 0)
  health.close()
})
