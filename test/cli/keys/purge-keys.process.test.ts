import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  array,
  assert as assertAlways,
  asyncProperty,
  constantFrom,
  integer,
  option,
  record,
} from 'fast-check'
import { countEndedKeys } from '../../../src/cli/api-keys/purge-expired-command.ts'
import { deleteInBatches } from '../../../src/cli/read-pages.ts'
import type { ApiKeyStore, StoredApiKey } from '../../../src/storage/stores/api-key-store.ts'
import { createMemoryApiKeyStore } from '../../support/memory-api-key-store.ts'
import { storedKey } from './keys-fixture.ts'

const HOUR_MS = 3_600_000
const BEFORE_MS = Date.UTC(2026, 10, 21, 9, 17)

function storeOf(stored: readonly StoredApiKey[]) {
  const store = createMemoryApiKeyStore()
  for (const key of stored) store.keys.set(key.keyId, key)
  return store
}

function purgeKeys(store: Pick<ApiKeyStore, 'purge'>, beforeMs: number): Promise<number> {
  return deleteInBatches((limit) => store.purge(beforeMs, limit))
}

/** A moment some hours about BEFORE_MS, often exactly on it or on a full hour. */
const moment = record({
  hours: integer({ min: -30, max: 3 }),
  ms: constantFrom(0, 0, 1, -1, -17 * 60_000, HOUR_MS / 2),
}).map(({ hours, ms }) => BEFORE_MS + hours * HOUR_MS + ms)

test('counts and deletes exactly the keys that ended before the time', async () => {
  await assertAlways(
    asyncProperty(
      array(record({ expiresAtMs: moment, revokedAtMs: option(moment) }), {
        maxLength: 40,
      }),
      async (times) => {
        const stored = times.map((each, index) => storedKey(index + 1, each))
        const kept = stored.filter(
          ({ expiresAtMs, revokedAtMs }) =>
            expiresAtMs >= BEFORE_MS && (revokedAtMs === null || revokedAtMs >= BEFORE_MS),
        )
        const store = storeOf(stored)
        const ended = await countEndedKeys(store, BEFORE_MS)
        assert.equal(store.keys.size, stored.length, 'counting removes nothing')
        assert.equal(ended, stored.length - kept.length)
        const removed = await purgeKeys(store, BEFORE_MS)
        assert.equal(removed, stored.length - kept.length)
        assert.deepEqual([...store.keys.values()], kept)
      },
    ),
  )
})

test('deletes in batches', async () => {
  const stored = Array.from({ length: 1200 }, (_, index) =>
    storedKey(index + 1, { expiresAtMs: BEFORE_MS - 1 }),
  )
  const batches: number[] = []
  const store = storeOf(stored)
  const purge: ApiKeyStore['purge'] = async (...call) => {
    const count = await store.purge(...call)
    batches.push(count)
    return count
  }
  const removed = await purgeKeys({ purge }, BEFORE_MS)
  assert.equal(removed, 1200)
  assert.deepEqual(batches, [500, 500, 200])
})
