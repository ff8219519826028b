import { API_KEY_ID_PATTERN } from '../contract/api-key.ts'
import type { ApiKeyStore } from './api-key-store.ts'
import { assertCount, assertHash, copyOf } from './call-arguments.ts'
import type { ApiKeyStatements } from './sqlite-api-keys.ts'
import type { ApiKeyCall } from './sqlite-calls.ts'

const KEY_ID = new RegExp(API_KEY_ID_PATTERN)

/** How many keys go in one transaction: nobody who wants to write waits long for one of these. */
const PURGED_AT_ONCE = 500

/**
 * The key store as calls of `send`, which resolves with what `performCall` returned. A wrong argument, and a key id that
 * is taken, is refused with a RangeError; a statement that failed for it would take its whole transaction with it.
 */
export function createApiKeyCalls(send: (call: ApiKeyCall) => Promise<unknown>): ApiKeyStore {
  async function sendCall<Name extends keyof ApiKeyStatements>(
    name: Name,
    ...args: Parameters<ApiKeyStatements[Name]>
  ): Promise<ReturnType<ApiKeyStatements[Name]>> {
    const call = { store: 'apiKeys', name, args } as ApiKeyCall
    return (await send(call)) as ReturnType<ApiKeyStatements[Name]>
  }
  return {
    find: async (keyId) => sendCall('find', keyId),
    async add(key, maxActive) {
      // The form and no value: what is no key id may be a whole key.
      if (!KEY_ID.test(key.keyId)) throw new RangeError(`keyId: expected ${API_KEY_ID_PATTERN}`)
      assertHash('keyHash', key.keyHash)
      assertCount('createdAtMs', key.createdAtMs, 0)
      assertCount('expiresAtMs', key.expiresAtMs, 0)
      if (key.revokedAtMs !== null) assertCount('revokedAtMs', key.revokedAtMs, 0)
      assertCount('maxActive', maxActive, 0)
      const outcome = await sendCall('add', { ...key, keyHash: copyOf(key.keyHash) }, maxActive)
      if (outcome !== 'taken') return outcome
      throw new RangeError('keyId: found a key that has it already, expected a new one')
    },
    async revoke(keyId, nowMs) {
      assertCount('nowMs', nowMs, 0)
      return sendCall('revoke', keyId, nowMs)
    },
    async rehash(rehash) {
      assertHash('keyHash', rehash.keyHash)
      return sendCall('rehash', { ...rehash, keyHash: copyOf(rehash.keyHash) })
    },
    async count(nowMs) {
      assertCount('nowMs', nowMs, 0)
      return sendCall('count', nowMs)
    },
    async readAfter(keyId, limit) {
      assertCount('limit', limit, 1)
      return sendCall('readAfter', keyId, limit)
    },
    async purge(beforeMs) {
      assertCount('beforeMs', beforeMs, 0)
      let purged = 0
      for (;;) {
        const some = await sendCall('purge', beforeMs, PURGED_AT_ONCE)
        purged += some
        if (some < PURGED_AT_ONCE) return purged
      }
    },
  }
}
