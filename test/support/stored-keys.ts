import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'

import type { DataOf } from '../../src/contract/schemas.ts'
import type { ApiKeys } from '../../src/service/api-keys.ts'
import { createStoredApiKeys } from '../../src/service/stored-api-keys.ts'
import type { ApiKeyStore } from '../../src/storage/api-key-store.ts'
import { createMemoryCounters } from '../../src/storage/memory-counters.ts'

/** What the keys of tests are hashed with. */
export const TEST_HASH_SECRET = 'the-secret-that-tests-hash-keys-with'

/** What a service over a store of keys is made with; the test's secret and the machine's clock when left out. */
export interface KeysOverOptions {
  readonly hashSecret?: string
  readonly previousHashSecrets?: readonly string[]
  readonly nowMs?: number
}

/** The service over a store of keys, past the pause and past the limit of an hour. */
export function keysOver(
  store: ApiKeyStore,
  { hashSecret = TEST_HASH_SECRET, previousHashSecrets = [], nowMs }: KeysOverOptions = {},
): ApiKeys {
  const clock = { nowMs: () => nowMs ?? Date.now() }
  return createStoredApiKeys({
    store,
    counters: createMemoryCounters({ clock }),
    clock,
    hashSecret,
    previousHashSecrets,
    randomBytes,
    onRehashFailure: (error) => assert.fail(String(error)),
  })
}

/** What a key is made with; 90 days, no label and the test's secret when left out. */
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
