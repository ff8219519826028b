import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listKeys, type ListOptions } from '../../../src/cli/api-keys/list-command.ts'
import { createMemoryApiKeyStore } from '../../support/memory-api-key-store.ts'
import { ONE_OF_EACH, storedKey } from './keys-fixture.ts'

const NOW_MS = Date.UTC(2026, 10, 21)

function partsOf(changes: Partial<ListOptions> & Pick<ListOptions, 'store'>) {
  const written: string[] = []
  const parts: ListOptions = {
    nowMs: NOW_MS,
    status: undefined,
    hashSecretId: undefined,
    format: 'lines',
    write: async (part) => {
      written.push(part)
      return true
    },
    ...changes,
  }
  return { parts, written }
}

test('lists a hundred thousand keys page by page, without reading ahead', async () => {
  const total = 100_000
  let [pages, taken, longest] = [0, 0, 0]
  const key = storedKey(0)
  const { parts } = partsOf({
    store: {
      async readAfter(keyId, limit) {
        assert.equal(taken, pages, 'the page before is still on its way')
        assert.ok(limit <= 1000)
        pages += 1
        const first = keyId === '' ? 1 : Number.parseInt(keyId, 16) + 1
        const length = Math.max(Math.min(limit, total + 1 - first), 0)
        return Array.from({ length }, (_, index) => ({
          ...key,
          keyId: (first + index).toString(16).padStart(16, '0'),
        }))
      },
    },
    async write(part) {
      longest = Math.max(longest, part.length)
      await Promise.resolve()
      taken += 1
      return true
    },
  })
  const result = await listKeys(parts)
  assert.deepEqual(result, {
    listed: total,
    count: { active: total, expired: 0, revoked: 0 },
    isComplete: true,
  })
  assert.ok(longest < 300_000, String(longest))
})

test('a key expires exactly on time; a revoked key stays revoked', async () => {
  const store = createMemoryApiKeyStore()
  await store.add(storedKey(1, { expiresAtMs: NOW_MS }), 9)
  await store.add(storedKey(2, { expiresAtMs: NOW_MS + 1 }), 9)
  await store.add(storedKey(3, { expiresAtMs: NOW_MS - 1, revokedAtMs: NOW_MS - 2 }), 9)
  const { parts, written } = partsOf({ store })
  const { count } = await listKeys(parts)
  assert.deepEqual(count, { active: 1, expired: 1, revoked: 1 })
  assert.deepEqual(count, await store.count(NOW_MS), 'as the store itself counts')
  assert.deepEqual(written.join('').match(/"status":"\w+"/g), [
    '"status":"expired"',
    '"status":"active"',
    '"status":"revoked"',
  ])
})

test('filters hide keys and still count them', async () => {
  const store = createMemoryApiKeyStore()
  for (const key of ONE_OF_EACH) await store.add(key, 9)
  await store.add(storedKey(4, { secretId: 'today' }), 9)
  for (const [filter, ids] of [
    [{ status: 'active' }, ['1', '4']],
    [{ hashSecretId: 'today' }, ['1', '2', '3']],
    [{ status: 'active', hashSecretId: 'today' }, ['1']],
  ] as const) {
    const { parts, written } = partsOf({ store, ...filter })
    const { listed, count } = await listKeys(parts)
    assert.equal(listed, ids.length)
    assert.deepEqual(count, { active: 2, expired: 1, revoked: 1 })
    const shown = [...written.join('').matchAll(/"keyId":"0*(\w+)"/g)].map(([, id]) => id)
    assert.deepEqual(shown, ids)
  }
})

test('stops reading when its consumer stops', async () => {
  const store = createMemoryApiKeyStore()
  for (let number = 1; number <= 2500; number += 1)
    store.keys.set(String(number), storedKey(number))
  let writes = 0
  const { parts } = partsOf({
    store,
    async write() {
      writes += 1
      return false
    },
  })
  const { listed, isComplete } = await listKeys(parts)
  assert.deepEqual({ writes, listed, isComplete }, { writes: 1, listed: 128, isComplete: false })
})

test('escapes labels for the terminal', async () => {
  const store = createMemoryApiKeyStore()
  await store.add(storedKey(1, { label: 'a\u001B[2Jb\nc' }), 9)
  const { parts, written } = partsOf({ store, format: 'table' })
  await listKeys(parts)
  assert.match(written.join(''), / {2}a\uFFFD\[2Jb\uFFFDc\n$/)
})
