import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import type { ApiKeyStore } from '../../src/storage/stores/api-key-store.ts'
import { createMemoryApiKeyStore } from '../support/memory-api-key-store.ts'
import { CREATED_AT_MS, makeKey, plainKey, readAllKeys } from './api-keys-fixture.ts'
import { bytesOf } from './waitlist-fixture.ts'

/** One step. `key` says which of a few keys, and times are counted from one moment. */
type Step =
  | {
      readonly kind: 'add'
      readonly key: number
      readonly atMs: number
      readonly lifeMs: number
      readonly maxActive: number
    }
  | { readonly kind: 'revoke'; readonly key: number; readonly atMs: number }
  | { readonly kind: 'rehash'; readonly key: number; readonly from: string; readonly to: string }
  | { readonly kind: 'count' | 'purge'; readonly atMs: number }

const LAST_KEY = 7
const KEY = fc.nat({ max: LAST_KEY })
const AT_MS = fc.nat({ max: 20 })
const SECRET = fc.constantFrom('first-secret', 'second-secret')
const STEP: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      key: KEY,
      atMs: AT_MS,
      lifeMs: fc.nat({ max: 10 }),
      maxActive: fc.nat({ max: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('revoke' as const), key: KEY, atMs: AT_MS }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rehash' as const),
      key: KEY,
      from: SECRET,
      to: SECRET,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('count' as const, 'purge'), atMs: AT_MS }),
  },
)

/** What a step answers; `refused` where it rejects. */
async function takeStep(store: ApiKeyStore, step: Step): Promise<unknown> {
  switch (step.kind) {
    case 'add': {
      const createdAtMs = CREATED_AT_MS + step.atMs
      const expiresAtMs = createdAtMs + step.lifeMs
      const key = makeKey(step.key, { createdAtMs, expiresAtMs })
      return store.add(key, step.maxActive)
    }
    case 'revoke':
      return store.revoke(makeKey(step.key).keyId, CREATED_AT_MS + step.atMs)
    case 'rehash':
      return store.rehash({
        keyId: makeKey(step.key).keyId,
        fromSecretId: step.from,
        secretId: step.to,
        keyHash: bytesOf(step.to, 32),
      })
    case 'count':
      return store.count(CREATED_AT_MS + step.atMs)
    case 'purge':
      return store.purge(CREATED_AT_MS + step.atMs, 100)
  }
}

async function findAll(store: ApiKeyStore): Promise<readonly unknown[]> {
  const found: unknown[] = []
  for (let key = 0; key <= LAST_KEY; key += 1) {
    const stored = await store.find(makeKey(key).keyId)
    found.push(stored && plainKey(stored))
  }
  return found
}

/** Runs random sequences of calls on an empty store and on one in memory, and compares what they answer and hold. */
export async function assertKeepsKeysAsMemoryDoes(store: ApiKeyStore): Promise<void> {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 30 }), async (steps) => {
      const model = createMemoryApiKeyStore()
      try {
        for (const step of steps) {
          assert.deepEqual(await takeStep(store, step), await takeStep(model, step), step.kind)
        }
        assert.deepEqual(await findAll(store), await findAll(model))
        assert.deepEqual(await readAllKeys(store), await readAllKeys(model))
      } finally {
        // The next sequence begins with no key.
        await store.purge(Number.MAX_SAFE_INTEGER, 100)
      }
    }),
    { numRuns: 60 },
  )
}
