import type { ApiKeyStore, StoredApiKey } from '../../src/storage/stores/api-key-store.ts'

/** A key store in memory that records its calls. */
export interface MemoryApiKeyStore extends ApiKeyStore {
  readonly keys: Map<string, StoredApiKey>
  /** Looked-up key IDs, in order. */
  readonly found: readonly string[]
  /** While it is set, every call fails with it. */
  failure: Error | undefined
}

/** An empty key store in memory. */
export function createMemoryApiKeyStore(): MemoryApiKeyStore {
  const keys = new Map<string, StoredApiKey>()
  const found: string[] = []
  const isActive = ({ revokedAtMs, expiresAtMs }: StoredApiKey, nowMs: number) =>
    revokedAtMs === null && nowMs < expiresAtMs
  function reach(): void {
    if (store.failure !== undefined) throw store.failure
  }
  const store: MemoryApiKeyStore = {
    keys,
    found,
    failure: undefined,
    async find(keyId) {
      reach()
      found.push(keyId)
      return keys.get(keyId)
    },
    async add(key, maxActive) {
      reach()
      const active = [...keys.values()].filter((each) => isActive(each, key.createdAtMs))
      if (active.length >= maxActive) return 'full'
      if (keys.has(key.keyId)) return 'taken'
      keys.set(key.keyId, key)
      return 'added'
    },
    async revoke(keyId, nowMs) {
      reach()
      const key = keys.get(keyId)
      if (key === undefined) return undefined
      const revokedAtMs = key.revokedAtMs ?? nowMs
      keys.set(keyId, { ...key, revokedAtMs })
      return revokedAtMs
    },
    async rehash({ keyId, fromSecretId, secretId, keyHash }) {
      reach()
      const key = keys.get(keyId)
      if (key?.secretId !== fromSecretId) return false
      keys.set(keyId, { ...key, secretId, keyHash })
      return true
    },
    async count(nowMs) {
      reach()
      const all = [...keys.values()]
      const active = all.filter((key) => isActive(key, nowMs)).length
      const revoked = all.filter(({ revokedAtMs }) => revokedAtMs !== null).length
      return { active, revoked, expired: all.length - active - revoked }
    },
    async readAfter(keyId, limit) {
      reach()
      return [...keys.values()]
        .filter((key) => key.keyId > keyId)
        .toSorted((one, other) => (one.keyId < other.keyId ? -1 : 1))
        .slice(0, limit)
    },
    async purge(beforeMs, limit) {
      reach()
      const gone = [...keys.values()]
        .filter(
          ({ revokedAtMs, expiresAtMs }) =>
            Math.min(revokedAtMs ?? expiresAtMs, expiresAtMs) < beforeMs,
        )
        .slice(0, limit)
      for (const { keyId } of gone) keys.delete(keyId)
      return gone.length
    },
  }
  return store
}
