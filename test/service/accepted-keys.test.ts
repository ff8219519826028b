import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { formatApiKey, keyIdOf } from '../../src/contract/api-key.ts'
import { createAcceptedKeys, type AcceptedKey } from '../../src/service/accepted-keys.ts'
import type { ApiKeys } from '../../src/service/api-keys.ts'
import { createStoredApiKeys } from '../../src/service/stored-api-keys.ts'
import type { ApiKeyStore } from '../../src/storage/api-key-store.ts'
import { createMemoryCounters } from '../../src/storage/memory-counters.ts'
import { createMemoryApiKeyStore } from '../support/memory-api-key-store.ts'

const START_MS = Date.UTC(2026, 10, 21, 9)
const DAY_MS = 86_400_000
const SECRET = 'a secret that keys are hashed with'
const NEXT_SECRET = 'the secret after it'

interface Parts {
  readonly hashSecret?: string
  readonly previous?: readonly string[]
}

/** A store, and services on it that share one clock. */
function makeStore() {
  const store = createMemoryApiKeyStore()
  const time = { ms: START_MS }
  const clock = { nowMs: () => time.ms }
  function serve({ hashSecret = SECRET, previous = [] }: Parts = {}, on: ApiKeyStore = store) {
    return createStoredApiKeys({
      store: on,
      counters: createMemoryCounters({ clock }),
      clock,
      hashSecret,
      previousHashSecrets: previous,
      randomBytes,
      onRehashFailure: () => {},
    })
  }
  return { store, time, serve }
}

async function issue(apiKeys: ApiKeys, label: string, ttlDays = 90): Promise<string> {
  return (await apiKeys.issue({ label, ttlDays })).key
}

const idOf = (key: string) => String(keyIdOf(key))
const changed = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

/** `ok`, or the code of the refusal. */
async function outcome(apiKeys: ApiKeys, key: string): Promise<string> {
  try {
    await apiKeys.check(key)
    return 'ok'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test('an accepted key is known from then on, without a look-up or a wait, and counted as ever', async () => {
  const { store, serve } = makeStore()
  const apiKeys = serve()
  const [key, other] = [await issue(apiKeys, 'one'), await issue(apiKeys, 'two')]
  assert.equal((await apiKeys.check(key)).quota.remaining, 599)
  for (let each = 2; each <= 600; each += 1) {
    const checked = apiKeys.check(key)
    assert.ok(!(checked instanceof Promise))
    assert.equal(checked.quota.remaining, 600 - each)
    assert.equal(checked.keyId, idOf(key))
    assert.equal(checked.metadata().label, 'one')
  }
  assert.equal(await outcome(apiKeys, key), 'KEY_RATE_LIMITED')
  assert.equal((await apiKeys.check(other)).metadata().label, 'two')
  assert.deepEqual(store.found, [idOf(key), idOf(other)])
})

test('whatever is refused is looked up each time, beside a key that is known too', async () => {
  const { store, serve } = makeStore()
  const apiKeys = serve()
  const [good, revoked] = [await issue(apiKeys, 'good'), await issue(apiKeys, 'revoked')]
  await apiKeys.revoke(idOf(revoked))
  await apiKeys.check(good)
  const cases = [
    'nonsense',
    '',
    formatApiKey('0'.repeat(16), 's'.repeat(43)),
    changed(good),
    revoked,
    changed(revoked),
  ]
  for (const key of [...cases, ...cases]) {
    const before = store.found.length
    assert.equal(await outcome(apiKeys, key), 'KEY_INVALID')
    assert.equal(store.found.length, before + 1)
  }
  assert.ok(!(apiKeys.check(good) instanceof Promise))
})

test('a key that another process changes is known no longer', async () => {
  const { store, time, serve } = makeStore()
  const apiKeys = serve()
  const [one, two, three] = [
    await issue(apiKeys, 'one'),
    await issue(apiKeys, 'two'),
    await issue(apiKeys, 'three', 1),
  ]
  const all = () => Promise.all([one, two, three].map((key) => outcome(apiKeys, key)))
  assert.deepEqual(await all(), ['ok', 'ok', 'ok'])
  await store.revoke(idOf(one), time.ms)
  assert.deepEqual(await all(), ['KEY_INVALID', 'ok', 'ok'])
  assert.deepEqual(await all(), ['KEY_INVALID', 'ok', 'ok'])
  // To the millisecond, though nothing was changed.
  time.ms += DAY_MS - 1
  assert.deepEqual(await all(), ['KEY_INVALID', 'ok', 'ok'])
  time.ms += 1
  assert.deepEqual(await all(), ['KEY_INVALID', 'ok', 'KEY_EXPIRED'])
  assert.equal(await store.purge(time.ms + 1), 2)
  assert.deepEqual(await all(), ['KEY_INVALID', 'ok', 'KEY_INVALID'])
})

test('a key that was read before a change is not known after it', async () => {
  const { store, time, serve } = makeStore()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow: ApiKeyStore = {
    ...store,
    async find(keyId) {
      const found = await store.find(keyId)
      await released
      return found
    },
  }
  const apiKeys = serve({}, slow)
  const key = await issue(apiKeys, 'one')
  const asked = apiKeys.check(key)
  await store.revoke(idOf(key), time.ms)
  // This one hears of the change first.
  const after = outcome(apiKeys, 'nonsense')
  release()
  assert.equal((await asked).keyId, idOf(key))
  assert.equal(await after, 'KEY_INVALID')
  assert.equal(await outcome(apiKeys, key), 'KEY_INVALID')
})

test('a key under the secret from before is known once it is hashed anew, and is refused with the secret gone', async () => {
  const { store, serve } = makeStore()
  const before = serve()
  const [used, idle] = [await issue(before, 'used'), await issue(before, 'idle')]
  assert.equal(await outcome(before, used), 'ok')
  const rotated = serve({ hashSecret: NEXT_SECRET, previous: [SECRET] })
  const rehash = store.rehash
  // As long as its new hash cannot be kept, the old one is compared each time.
  store.rehash = () => Promise.reject(new Error('disk full'))
  for (let each = 0; each < 3; each += 1) {
    const checked = rotated.check(used)
    assert.ok(checked instanceof Promise)
    await checked
  }
  store.rehash = rehash
  assert.equal(await outcome(rotated, used), 'ok')
  assert.equal(await outcome(rotated, used), 'ok')
  assert.ok(!(rotated.check(used) instanceof Promise))
  assert.equal(await outcome(rotated, changed(idle)), 'KEY_INVALID')
  // A process that has the old secret alone knew it, and hears of it.
  assert.equal(await outcome(before, used), 'KEY_INVALID')
  const finished = serve({ hashSecret: NEXT_SECRET })
  assert.deepEqual(
    [await outcome(finished, used), await outcome(finished, idle)],
    ['ok', 'KEY_INVALID'],
  )
})

test('a store that cannot be asked refuses a key that is known, and it is known again afterwards', async () => {
  const { store, serve } = makeStore()
  const apiKeys = serve()
  const key = await issue(apiKeys, 'one')
  await apiKeys.check(key)
  store.failure = new Error('the disk is gone')
  for (const presented of [key, changed(key), 'nonsense']) {
    const refused = apiKeys.check(presented)
    assert.ok(refused instanceof Promise)
    await assert.rejects(refused, { code: 'KEYS_UNAVAILABLE', cause: store.failure })
  }
  store.failure = undefined
  assert.equal((await apiKeys.check(key)).quota.remaining, 598)
})

test('where a store cannot tell of changes nothing is known', async () => {
  const { store, serve } = makeStore()
  const { revision: _, ...silent } = store
  const apiKeys = serve({}, silent)
  const key = await issue(apiKeys, 'one')
  for (let each = 0; each < 3; each += 1) await apiKeys.check(key)
  assert.deepEqual(store.found, [idOf(key), idOf(key), idOf(key)])
})

test('a memory holds as many keys as it may, the latest ones, and nothing that is not asked of it', () => {
  const accepted = createAcceptedKeys(3)
  const keyOf = (number: number): AcceptedKey => ({
    keyId: `id ${number}`,
    label: null,
    createdAtMs: number,
    expiresAtMs: number + 1,
  })
  assert.equal(accepted.find('hash 0', 7), undefined)
  for (let number = 1; number <= 5; number += 1) {
    const row = { ...keyOf(number), keyHash: new Uint8Array(32), secretId: 'name' }
    accepted.add(`hash ${number}`, 7, row)
    accepted.add(`hash ${number}`, 7, row)
  }
  const found = () => [1, 2, 3, 4, 5].map((number) => accepted.find(`hash ${number}`, 7))
  assert.deepEqual(found(), [undefined, undefined, keyOf(3), keyOf(4), keyOf(5)])
  // What was read at another revision is not taken.
  accepted.add('hash 1', 6, keyOf(1))
  assert.deepEqual(found(), [undefined, undefined, keyOf(3), keyOf(4), keyOf(5)])
  assert.equal(accepted.find('hash 3', 8), undefined)
  assert.deepEqual(found(), Array.from({ length: 5 }))
})
