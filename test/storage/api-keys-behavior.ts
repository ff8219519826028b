import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiKeyStore } from '../../src/storage/stores/api-key-store.ts'
import {
  CREATED_AT_MS,
  EXPIRES_AT_MS,
  inOrder,
  makeKey,
  plainKey,
  readAllKeys,
} from './api-keys-fixture.ts'
import type { StorageBackend } from './storage-backend.ts'
import { bytesOf } from './waitlist-fixture.ts'

const MANY = 1000

/** The ids just before and just behind an id. */
function neighborsOf(keyId: string): readonly string[] {
  const number = BigInt(`0x${keyId}`)
  return [number - 1n, number + 1n].map((each) => each.toString(16).padStart(16, '0'))
}

function countOf<Value>(values: readonly Value[], wanted: Value): number {
  return values.filter((value) => value === wanted).length
}

/** What every way to keep the keys has to do. */
export function testApiKeysBehavior(backend: StorageBackend<ApiKeyStore>): void {
  describe(`API keys on ${backend.name}`, { skip: backend.skip ?? false }, () => {
    test('finds a key by its exact ID, as it was added', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      const keys = Array.from({ length: 50 }, (_, number) => makeKey(number))
      const others = [
        ...keys.flatMap(({ keyId }) => neighborsOf(keyId)),
        '',
        '-'.repeat(16),
        '0'.repeat(16),
        'f'.repeat(16),
        'g'.repeat(16),
        '\u0000',
      ]
      for (const other of others) assert.equal(await apiKeys.find(other), undefined)
      for (const key of keys) assert.equal(await apiKeys.add(key, MANY), 'added')
      for (const key of keys) {
        const found = await apiKeys.find(key.keyId)
        assert.ok(found !== undefined)
        assert.deepEqual(plainKey(found), key)
        for (const part of [key.keyId.slice(0, -1), `${key.keyId}0`, key.keyId.toUpperCase()]) {
          if (part !== key.keyId) assert.equal(await apiKeys.find(part), undefined)
        }
      }
      for (const other of others) assert.equal(await apiKeys.find(other), undefined)
      assert.deepEqual(await readAllKeys(apiKeys), inOrder(keys))
    })

    test('find sees earlier changes of another store', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      for (let number = 0; number < 30; number += 1) {
        const key = makeKey(number)
        const [writer, reader] = number % 2 === 0 ? [apiKeys, other] : [other, apiKeys]
        assert.equal(await reader.find(key.keyId), undefined)
        await writer.add(key, MANY)
        assert.equal((await reader.find(key.keyId))?.revokedAtMs, null)
        const rehash = { keyId: key.keyId, fromSecretId: key.secretId, secretId: 'second-secret' }
        await writer.rehash({ ...rehash, keyHash: bytesOf('second', 32) })
        assert.equal((await reader.find(key.keyId))?.secretId, 'second-secret')
        await writer.revoke(key.keyId, CREATED_AT_MS + number)
        assert.equal((await reader.find(key.keyId))?.revokedAtMs, CREATED_AT_MS + number)
        await writer.purge(CREATED_AT_MS + number + 1, MANY)
        assert.equal(await reader.find(key.keyId), undefined)
      }
    })

    test('revokes a key once, at the first given time', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      const key = makeKey(1)
      await apiKeys.add(key, MANY)
      await apiKeys.add(makeKey(2), MANY)
      assert.equal(await apiKeys.revoke(key.keyId, CREATED_AT_MS + 5), CREATED_AT_MS + 5)
      assert.equal(await other.revoke(key.keyId, CREATED_AT_MS + 9), CREATED_AT_MS + 5)
      assert.equal(await other.revoke(key.keyId, CREATED_AT_MS + 1), CREATED_AT_MS + 5)
      for (const unknown of [makeKey(3).keyId, '', '-'.repeat(16)]) {
        assert.equal(await apiKeys.revoke(unknown, CREATED_AT_MS), undefined)
      }
      assert.deepEqual(
        await readAllKeys(apiKeys),
        inOrder([{ ...key, revokedAtMs: CREATED_AT_MS + 5 }, makeKey(2)]),
      )
    })

    test('rehash replaces a hash only if its secret id is unchanged', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      const key = makeKey(1)
      await apiKeys.add(key, MANY)
      await apiKeys.add(makeKey(2), MANY)
      const keyHash = bytesOf('second', 32)
      const rehash = { keyId: key.keyId, fromSecretId: 'first-secret', secretId: 'second', keyHash }
      assert.equal(await apiKeys.rehash({ ...rehash, fromSecretId: 'zeroth' }), false)
      assert.equal(await apiKeys.rehash({ ...rehash, keyId: makeKey(3).keyId }), false)
      assert.equal(await apiKeys.rehash({ ...rehash, keyId: '' }), false)
      assert.deepEqual(await readAllKeys(apiKeys), inOrder([key, makeKey(2)]))
      assert.equal(await apiKeys.rehash(rehash), true)
      assert.equal(await apiKeys.rehash(rehash), false)
      assert.deepEqual(
        await readAllKeys(apiKeys),
        inOrder([{ ...key, secretId: 'second', keyHash }, makeKey(2)]),
      )
    })

    test('of concurrent rehashes of one key, one succeeds', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      for (let round = 0; round < 5; round += 1) {
        const key = makeKey(round)
        await apiKeys.add(key, MANY)
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, number) =>
            (number % 2 === 0 ? apiKeys : other).rehash({
              keyId: key.keyId,
              fromSecretId: 'first-secret',
              secretId: `secret ${number}`,
              keyHash: bytesOf(`hash ${number}`, 32),
            }),
          ),
        )
        assert.equal(countOf(outcomes, true), 1)
        const winner = outcomes.indexOf(true)
        const found = await other.find(key.keyId)
        assert.equal(found?.secretId, `secret ${winner}`)
        assert.deepEqual(new Uint8Array(found.keyHash), bytesOf(`hash ${winner}`, 32))
      }
    })

    test('limits the number of active keys', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      assert.equal(await apiKeys.add(makeKey(0), 0), 'full')
      for (const number of [0, 1, 2]) assert.equal(await apiKeys.add(makeKey(number), 3), 'added')
      assert.equal(await apiKeys.add(makeKey(3), 3), 'full')
      assert.equal(await apiKeys.find(makeKey(3).keyId), undefined)
      // A revoked key makes room.
      await apiKeys.revoke(makeKey(1).keyId, CREATED_AT_MS + 1)
      assert.equal(await apiKeys.add(makeKey(3), 3), 'added')
      assert.equal(await apiKeys.add(makeKey(4), 3), 'full')
      // So does one that expires: at its last moment it is active no more.
      const later = (number: number, createdAtMs: number) =>
        makeKey(number, { createdAtMs, expiresAtMs: createdAtMs + 1000 })
      assert.equal(await apiKeys.add(later(5, EXPIRES_AT_MS - 1), 3), 'full')
      for (const number of [5, 6, 7]) {
        assert.equal(await apiKeys.add(later(number, EXPIRES_AT_MS), 3), 'added')
      }
      assert.equal(await apiKeys.add(later(8, EXPIRES_AT_MS), 3), 'full')
      assert.equal(await apiKeys.add(later(8, EXPIRES_AT_MS), 4), 'added')
    })

    test('concurrent adds from two stores respect the limit', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      for (let round = 1; round <= 5; round += 1) {
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, number) =>
            (number % 2 === 0 ? apiKeys : other).add(makeKey(round * 1000 + number), round * 7),
          ),
        )
        assert.equal(countOf(outcomes, 'added'), 7)
        assert.equal(countOf(outcomes, 'full'), 33)
        assert.equal((await other.count(CREATED_AT_MS)).active, round * 7)
        for (const [number, outcome] of outcomes.entries()) {
          const found = await apiKeys.find(makeKey(round * 1000 + number).keyId)
          assert.equal(found !== undefined, outcome === 'added')
        }
      }
    })

    test('reports a key ID in use as taken and changes nothing', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      const key = makeKey(1)
      await apiKeys.add(key, MANY)
      const again = makeKey(2, { keyId: key.keyId, label: 'another' })
      const outcomes = await Promise.all([apiKeys.add(again, MANY), apiKeys.add(makeKey(3), MANY)])
      assert.deepEqual(outcomes, ['taken', 'added'])
      // Also after a revocation: an id is never reused.
      await apiKeys.revoke(key.keyId, CREATED_AT_MS)
      assert.equal(await apiKeys.add(again, MANY), 'taken')
      assert.deepEqual(
        await readAllKeys(apiKeys),
        inOrder([{ ...key, revokedAtMs: CREATED_AT_MS }, makeKey(3)]),
      )
    })

    test('count returns the status of each key at a time', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      assert.deepEqual(await apiKeys.count(CREATED_AT_MS), { active: 0, expired: 0, revoked: 0 })
      for (const number of [0, 1, 2, 3, 4]) await apiKeys.add(makeKey(number), MANY)
      const short = makeKey(5, { expiresAtMs: CREATED_AT_MS + 10 })
      await apiKeys.add(short, MANY)
      await apiKeys.revoke(makeKey(0).keyId, CREATED_AT_MS + 5)
      const before = await apiKeys.count(CREATED_AT_MS + 9)
      assert.deepEqual(before, { active: 5, expired: 0, revoked: 1 })
      const then = await apiKeys.count(CREATED_AT_MS + 10)
      assert.deepEqual(then, { active: 4, expired: 1, revoked: 1 })
      // A key that was revoked counts as that, before it was and after it would have expired.
      assert.equal((await apiKeys.count(CREATED_AT_MS)).revoked, 1)
      const last = await apiKeys.count(EXPIRES_AT_MS)
      assert.deepEqual(last, { active: 0, expired: 5, revoked: 1 })
    })

    test('reads keys in pages, in order of their IDs', async (t) => {
      const { store: apiKeys } = await backend.open(t)
      assert.deepEqual(await apiKeys.readAfter('', 10), [])
      const keys = inOrder(Array.from({ length: 25 }, (_, number) => makeKey(number)))
      for (const key of keys.toReversed()) await apiKeys.add(key, MANY)
      const read: string[] = []
      for (;;) {
        const page = await apiKeys.readAfter(read.at(-1) ?? '', 10)
        read.push(...page.map(({ keyId }) => keyId))
        if (page.length < 10) break
      }
      assert.deepEqual(
        read,
        keys.map(({ keyId }) => keyId),
      )
      const [second] = await apiKeys.readAfter(neighborsOf(read[1] ?? '')[0] ?? '', 1)
      assert.equal(second?.keyId, read[1])
    })

    test('purge deletes exactly the keys that ended before a time', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      const kept = [
        makeKey(0),
        makeKey(1, { expiresAtMs: CREATED_AT_MS + 50 }),
        makeKey(2, { revokedAtMs: CREATED_AT_MS + 50 }),
      ]
      const old = [
        makeKey(3, { expiresAtMs: CREATED_AT_MS + 49 }),
        makeKey(4, { revokedAtMs: CREATED_AT_MS + 49 }),
        // Whichever came first.
        makeKey(5, { expiresAtMs: CREATED_AT_MS + 49, revokedAtMs: CREATED_AT_MS + 60 }),
        makeKey(6, { expiresAtMs: CREATED_AT_MS + 60, revokedAtMs: CREATED_AT_MS + 49 }),
      ]
      for (const key of [...kept, ...old]) await apiKeys.add(key, MANY)
      assert.equal(await apiKeys.purge(CREATED_AT_MS + 49, MANY), 0)
      assert.equal(await apiKeys.purge(CREATED_AT_MS + 50, 3), 3)
      assert.equal(await apiKeys.purge(CREATED_AT_MS + 50, 3), 1)
      assert.deepEqual(await readAllKeys(other), inOrder(kept))
      assert.equal(await apiKeys.purge(Number.MAX_SAFE_INTEGER, MANY), 3)
      assert.deepEqual(await readAllKeys(other), [])
      assert.equal(await apiKeys.find(makeKey(0).keyId), undefined)
      assert.equal(await apiKeys.add(makeKey(0), 1), 'added')
    })

    test('two concurrent purges of hundreds of keys count each once', async (t) => {
      const { store: apiKeys, openAgain } = await backend.open(t)
      const other = await openAgain()
      const keys = Array.from({ length: 700 }, (_, number) =>
        makeKey(number, number % 5 === 0 ? {} : { expiresAtMs: CREATED_AT_MS + number }),
      )
      // In batches, since a shared database limits how long a call waits for a connection.
      for (let start = 0; start < keys.length; start += 50) {
        await Promise.all(keys.slice(start, start + 50).map((key) => apiKeys.add(key, 2000)))
      }
      const beforeMs = CREATED_AT_MS + 5000
      const purged = await Promise.all([apiKeys.purge(beforeMs, MANY), other.purge(beforeMs, MANY)])
      assert.equal(purged[0] + purged[1], 560)
      const left = await apiKeys.count(beforeMs)
      assert.deepEqual(left, { active: 140, expired: 0, revoked: 0 })
    })
  })
}
