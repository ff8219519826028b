import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { formatApiKey, keyIdOf } from '@public-api/contract/keys/api-key'
import {
  createApiKeys,
  hashSecretIdOf,
  KeyQuotaError,
  TooManyKeysError,
} from '../../../src/service/api-keys/api-keys.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import {
  createMemoryApiKeyStore,
  type MemoryApiKeyStore,
} from '../../support/memory-api-key-store.ts'

const START_MS = Date.UTC(2026, 10, 21, 9)
const DAY_MS = 86_400_000
const SECRET = 'a secret that keys are hashed with'

interface Setup {
  readonly store?: MemoryApiKeyStore
  readonly hashSecret?: string
  readonly previous?: readonly string[]
}

function makeKeys({
  store = createMemoryApiKeyStore(),
  hashSecret = SECRET,
  previous = [],
}: Setup = {}) {
  const time = { ms: START_MS }
  const clock = { nowMs: () => time.ms }
  const failures: unknown[] = []
  const apiKeys = createApiKeys({
    store,
    counters: createMemoryCounters({ clock }),
    clock,
    hashSecret,
    previousHashSecrets: previous,
    randomBytes,
    onRehashFailure: (error) => failures.push(error),
  })
  const issue = async (label: string | null = null, ttlDays = 90) =>
    (await apiKeys.issue({ label, ttlDays })).key
  return { apiKeys, store, time, failures, issue }
}

const changed = (key: string) => key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')

test('issue returns the whole key once, and it is valid', async () => {
  const { apiKeys, store } = makeKeys()
  const issued = await apiKeys.issue({ label: 'ci mirror', ttlDays: 1 })
  const { key, ...facts } = issued
  assert.match(key, /^svk_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/)
  assert.deepEqual(facts, {
    keyId: keyIdOf(key),
    scope: 'read',
    label: 'ci mirror',
    status: 'active',
    createdAt: '2026-11-21T09:00:00.000Z',
    expiresAt: '2026-11-22T09:00:00.000Z',
  })
  const { metadata, quota } = await apiKeys.check(key)
  assert.deepEqual(quota, { limit: 600, remaining: 599, resetSeconds: 60 })
  assert.deepEqual(metadata(), { ...facts, quota: { ...quota, windowSeconds: 60 } })
  const kept = JSON.stringify(
    [...store.keys.values()].map((each) => ({
      ...each,
      keyHash: Buffer.from(each.keyHash).toString('latin1'),
    })),
  )
  assert.ok(!kept.includes(key.slice(21)), 'the secret is not kept')
})

test('refuses malformed, unknown, wrong and revoked keys alike, after one lookup each', async () => {
  const { apiKeys, store, issue } = makeKeys()
  const good = await issue()
  const revoked = await issue()
  await apiKeys.revoke(String(keyIdOf(revoked)))
  const cases = {
    malformed: 'nonsense',
    empty: '',
    long: 'x'.repeat(8000),
    unknown: formatApiKey('0'.repeat(16), 's'.repeat(43)),
    wrong: changed(good),
    'another key’s secret': formatApiKey(String(keyIdOf(good)), revoked.slice(21)),
    revoked,
    'revoked and wrong': changed(revoked),
  }
  for (const [what, key] of Object.entries(cases)) {
    const before = store.found.length
    await assert.rejects(
      async () => apiKeys.check(key),
      (error) => {
        assert.ok(error instanceof ApiError, what)
        assert.equal(error.code, 'KEY_INVALID', what)
        assert.deepEqual(error.details, {}, what)
        return true
      },
    )
    assert.equal(store.found.length - before, 1, what)
  }
  assert.equal((await apiKeys.check(good)).quota.remaining, 599, 'none of it counted')
})

test('a key expires at its time; a wrong or revoked one is invalid, not expired', async () => {
  const { apiKeys, time, issue } = makeKeys()
  const key = await issue(null, 1)
  const revoked = await issue(null, 1)
  await apiKeys.revoke(String(keyIdOf(revoked)))
  time.ms += DAY_MS - 1
  await apiKeys.check(key)
  time.ms += 1
  await assert.rejects(async () => apiKeys.check(key), { code: 'KEY_EXPIRED' })
  await assert.rejects(async () => apiKeys.check(changed(key)), { code: 'KEY_INVALID' })
  await assert.rejects(async () => apiKeys.check(revoked), { code: 'KEY_INVALID' })
})

test('each key has 600 requests in 60 seconds', async () => {
  const { apiKeys, time, issue } = makeKeys()
  const [key, other] = [await issue(), await issue()]
  await apiKeys.check(key)
  time.ms += 15_500
  for (let each = 1; each < 600; each += 1) await apiKeys.check(key)
  await assert.rejects(
    async () => apiKeys.check(key),
    (error) => {
      assert.ok(error instanceof KeyQuotaError)
      assert.deepEqual(error.quota, { limit: 600, remaining: 0, resetSeconds: 45 })
      assert.equal(error.details.retryAfterSeconds, 45)
      return true
    },
  )
  assert.equal((await apiKeys.check(other)).quota.remaining, 599)
  time.ms += 44_500
  assert.equal((await apiKeys.check(key)).quota.remaining, 599)
})

test('revoking twice returns the first time; a deleted key is invalid', async () => {
  const { apiKeys, time, store, issue } = makeKeys()
  const keyId = String(keyIdOf(await issue()))
  const first = await apiKeys.revoke(keyId)
  assert.deepEqual(first, { keyId, status: 'revoked', revokedAt: '2026-11-21T09:00:00.000Z' })
  time.ms += 5000
  assert.deepEqual(await apiKeys.revoke(keyId), first)
  store.keys.clear()
  await assert.rejects(apiKeys.revoke(keyId), { code: 'KEY_INVALID' })
})

test('after a rotation keys of both secrets are accepted, and an old one is rehashed when used', async () => {
  const store = createMemoryApiKeyStore()
  const old = makeKeys({ store })
  const key = await old.issue()
  const keyId = String(keyIdOf(key))
  const rotated = makeKeys({ store, hashSecret: 'the next secret', previous: [SECRET] })
  const before = store.keys.get(keyId)
  await rotated.apiKeys.check(key)
  const after = store.keys.get(keyId)
  assert.notEqual(after?.secretId, before?.secretId)
  assert.notDeepEqual(after?.keyHash, before?.keyHash)
  const finished = makeKeys({ store, hashSecret: 'the next secret' })
  await finished.apiKeys.check(key)
  await assert.rejects(async () => old.apiKeys.check(key), { code: 'KEY_INVALID' })
  await assert.rejects(async () => finished.apiKeys.check(changed(key)), { code: 'KEY_INVALID' })
})

test('a wrong key is not rehashed, and a key of a removed secret is invalid', async () => {
  const store = createMemoryApiKeyStore()
  const key = await makeKeys({ store }).issue()
  const rotated = makeKeys({ store, hashSecret: 'the next secret', previous: [SECRET] })
  const before = store.keys.get(String(keyIdOf(key)))
  await assert.rejects(async () => rotated.apiKeys.check(changed(key)), { code: 'KEY_INVALID' })
  assert.equal(store.keys.get(String(keyIdOf(key))), before)
  const dropped = makeKeys({ store, hashSecret: 'the next secret' })
  await assert.rejects(async () => dropped.apiKeys.check(key), { code: 'KEY_INVALID' })
})

test('a failed rehash does not affect the request', async () => {
  const store = createMemoryApiKeyStore()
  const key = await makeKeys({ store }).issue()
  const failing = { ...store, rehash: () => Promise.reject(new Error('disk full')) }
  const { apiKeys, failures } = makeKeys({
    store: failing,
    hashSecret: 'the next secret',
    previous: [SECRET],
  })
  await apiKeys.check(key)
  assert.equal(failures.length, 1)
})

test("60 keys an hour, then a wait within the catalog's bound", async () => {
  const { issue, time } = makeKeys()
  for (let each = 0; each < 60; each += 1) await issue()
  await assert.rejects(issue(), (error) => {
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 'RATE_LIMITED')
    assert.equal(error.details.retryAfterSeconds, 60)
    return true
  })
  time.ms += 3_599_000
  await assert.rejects(issue(), (error: ApiError) => error.details.retryAfterSeconds === 1)
  time.ms += 1000
  await issue()
})

test('a store that fails is KEYS_UNAVAILABLE, with the reason for the log, and recovers', async () => {
  const { apiKeys, store, issue } = makeKeys()
  const key = await issue()
  store.failure = new Error('disk full')
  for (const call of [
    async () => apiKeys.check(key),
    async () => apiKeys.check('nonsense'),
    () => apiKeys.revoke(String(keyIdOf(key))),
    () => apiKeys.issue({ label: null, ttlDays: 1 }),
  ]) {
    await assert.rejects(call, (error: ApiError) => {
      assert.equal(error.code, 'KEYS_UNAVAILABLE')
      assert.equal(error.cause, store.failure)
      return true
    })
  }
  store.failure = undefined
  assert.equal((await apiKeys.check(key)).quota.remaining, 599)
})

test('limits active keys; expired and revoked ones do not count', async () => {
  const { apiKeys, store, time, issue } = makeKeys()
  const one = await issue(null, 1)
  const kept = store.keys.get(String(keyIdOf(one)))
  assert.ok(kept !== undefined)
  for (let each = 1; each < 10_000; each += 1) {
    const keyId = each.toString(16).padStart(16, '0')
    store.keys.set(keyId, { ...kept, keyId })
  }
  await assert.rejects(
    issue(),
    (error: ApiError) =>
      error.code === 'KEYS_UNAVAILABLE' && error.cause instanceof TooManyKeysError,
  )
  await apiKeys.revoke(String(keyIdOf(one)))
  await issue()
  await assert.rejects(issue(), { code: 'KEYS_UNAVAILABLE' })
  time.ms += DAY_MS
  await issue()
})

test('the stored hash of a key never changes between software versions', async () => {
  const { store, issue } = makeKeys()
  const key = await issue()
  const hmac = (label: string, text: string) =>
    createHmac('sha256', SECRET).update(`${label}\0${text}`).digest('hex')
  const [stored] = store.keys.values()
  assert.ok(stored !== undefined)
  assert.equal(Buffer.from(stored.keyHash).toString('hex'), hmac('svc-api-key-v1', key))
  assert.equal(stored.secretId, hmac('svc-api-key-secret-v1', '').slice(0, 16))
  assert.equal(hashSecretIdOf(SECRET), stored.secretId)
})

test('looks up a malformed key by the text in place of its ID', async () => {
  const { apiKeys, store } = makeKeys()
  for (const [presented, place] of [
    [`svk_${'a'.repeat(16)}-${'s'.repeat(43)}`, 'a'.repeat(16)],
    [`SVK_0123456789ABCDEF_${'s'.repeat(43)}`, '0123456789ABCDEF'],
    ['svk_0123', '0123'],
    ['svk', ''],
  ] as const) {
    await assert.rejects(async () => apiKeys.check(presented), { code: 'KEY_INVALID' })
    assert.equal(store.found.at(-1), place)
  }
})

test('a failed lookup is KEYS_UNAVAILABLE, with the reason for the log', async () => {
  const store = createMemoryApiKeyStore()
  const key = await makeKeys({ store }).issue()
  const cause = new Error('disk full')
  const { apiKeys } = makeKeys({ store: { ...store, find: () => Promise.reject(cause) } })
  for (const presented of [key, 'nonsense']) {
    await assert.rejects(
      async () => apiKeys.check(presented),
      (error) =>
        error instanceof ApiError && error.code === 'KEYS_UNAVAILABLE' && error.cause === cause,
    )
  }
})

test('rehashes a key once at a time and again later', async () => {
  const store = createMemoryApiKeyStore()
  const key = await makeKeys({ store }).issue()
  const asked: string[] = []
  let ending = Promise.withResolvers<boolean>()
  const { apiKeys, failures } = makeKeys({
    store: {
      ...store,
      rehash: ({ keyId }) => {
        asked.push(keyId)
        return ending.promise
      },
    },
    hashSecret: 'the next secret',
    previous: [SECRET],
  })
  for (let each = 0; each < 5; each += 1) await apiKeys.check(key)
  assert.deepEqual(asked, [keyIdOf(key)])
  ending.reject(new Error('disk full'))
  await new Promise(setImmediate)
  assert.equal(failures.length, 1)
  ending = Promise.withResolvers()
  for (let each = 0; each < 5; each += 1) await apiKeys.check(key)
  assert.deepEqual(asked, [keyIdOf(key), keyIdOf(key)])
})
