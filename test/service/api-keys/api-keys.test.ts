import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { ApiError } from '@public-api/contract/errors/api-error'
import { formatApiKey, apiKeyIdOf } from '@public-api/contract/keys/api-key'
import { createApiKeys, hashSecretIdOf } from '../../../src/service/api-keys/api-keys.ts'
import { createMemoryCounters } from '../../../src/storage/counters/memory-counters.ts'
import {
  createMemoryApiKeyStore,
  type MemoryApiKeyStore,
} from '../../support/memory-api-key-store.ts'

const START_MS = Date.UTC(2026, 10, 21, 9)
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

test('refuses malformed, unknown, wrong and revoked keys alike, after one lookup each', async () => {
  const { apiKeys, store, issue } = makeKeys()
  const good = await issue()
  const revoked = await issue()
  await apiKeys.revoke(String(apiKeyIdOf(revoked)))
  const cases = {
    malformed: 'nonsense',
    empty: '',
    long: 'x'.repeat(8000),
    unknown: formatApiKey('0'.repeat(16), 's'.repeat(43)),
    wrong: changed(good),
    'another key’s secret': formatApiKey(String(apiKeyIdOf(good)), revoked.slice(21)),
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

test('revoking twice returns the first time; a deleted key is invalid', async () => {
  const { apiKeys, time, store, issue } = makeKeys()
  const keyId = String(apiKeyIdOf(await issue()))
  const first = await apiKeys.revoke(keyId)
  assert.deepEqual(first, { keyId, status: 'revoked', revokedAt: '2026-11-21T09:00:00.000Z' })
  time.ms += 5000
  assert.deepEqual(await apiKeys.revoke(keyId), first)
  store.keys.clear()
  await assert.rejects(apiKeys.revoke(keyId), { code: 'KEY_INVALID' })
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
  assert.deepEqual(asked, [apiKeyIdOf(key)])
  ending.reject(new Error('disk full'))
  await new Promise(setImmediate)
  assert.equal(failures.length, 1)
  ending = Promise.withResolvers()
  for (let each = 0; each < 5; each += 1) await apiKeys.check(key)
  assert.deepEqual(asked, [apiKeyIdOf(key), apiKeyIdOf(key)])
})

test('two nodes rotate the hash secret in turn if each knew both secrets before', async () => {
  const store = createMemoryApiKeyStore()
  const key = await makeKeys({ store }).issue()
  const next = 'the next secret'
  const waiting = makeKeys({ store, previous: [next] }).apiKeys
  const rotated = makeKeys({ store, hashSecret: next, previous: [SECRET] }).apiKeys
  for (const node of [rotated, waiting, rotated, waiting, rotated]) {
    await node.check(key)
    // Until the hash is replaced.
    await new Promise(setImmediate)
  }
  await assert.rejects(makeKeys({ store }).apiKeys.check(key), { code: 'KEY_INVALID' })
})
