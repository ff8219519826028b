import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { DataOf } from '@public-api/contract/registry/schemas'
import { createApiKeys, type ApiKeys } from '../../src/service/api-keys/api-keys.ts'
import { createMemoryCounters } from '../../src/storage/counters/memory-counters.ts'
import type { ApiKeyStore } from '../../src/storage/stores/api-key-store.ts'

/** The hash secret of test keys. */
export const TEST_HASH_SECRET = 'the-secret-that-tests-hash-keys-with'

/** Options of a service over a store of keys; defaults: the test's secret and the machine's clock. */
interface KeysOverOptions {
  readonly hashSecret?: string
  readonly previousHashSecrets?: readonly string[]
  readonly nowMs?: number
}

/** The service over a store of keys, past the pause and past the limit of an hour. */
function keysOver(
  store: ApiKeyStore,
  { hashSecret = TEST_HASH_SECRET, previousHashSecrets = [], nowMs }: KeysOverOptions = {},
): ApiKeys {
  const clock = { nowMs: () => nowMs ?? Date.now() }
  return createApiKeys({
    store,
    counters: createMemoryCounters({ clock }),
    clock,
    hashSecret,
    previousHashSecrets,
    randomBytes,
    onRehashFailure: (error) => assert.fail(String(error)),
  })
}

/** Options of a key; defaults: 90 days, no label and the test's secret. */
export interface MadeKeyOptions {
  readonly label?: string | null
  readonly ttlDays?: number
  readonly hashSecret?: string
  readonly nowMs?: number
}

/** Makes a key as the service does. */
export async function issueInto(
  store: ApiKeyStore,
  { label = null, ttlDays = 90, ...options }: MadeKeyOptions = {},
): Promise<DataOf<'IssuedKey'>> {
  return keysOver(store, options).issue({ label, ttlDays })
}
