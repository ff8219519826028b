import type { ApiKeyStore } from './api-key-store.ts'
import { StorageError, type Storage, type WaitlistStore } from './storage.ts'

/**
 * Opens a store, or stands in for one that cannot be opened just now: each call tries again, and rejects with the reason
 * until it is open. So a full disk or a lock at the start costs the reads nothing. Rejects with a StorageError that will
 * not go away by itself.
 */
export async function openReopeningStorage(
  open: () => Promise<Storage>,
  onFailure: (error: StorageError) => void,
): Promise<Storage> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof StorageError) || !error.isTransient) throw error
    onFailure(error)
  }

  let opening: Promise<Storage> | undefined
  let isClosed = false
  /** One attempt at a time, shared by the calls that wait for it. */
  function opened(): Promise<Storage> {
    if (isClosed) return Promise.reject(new StorageError('CLOSED', 'The database'))
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const waitlist: WaitlistStore = {
    add: async (registration) => (await opened()).waitlist.add(registration),
    count: async () => (await opened()).waitlist.count(),
    readAfter: async (position, limit) => (await opened()).waitlist.readAfter(position, limit),
    erase: async (addressHash) => (await opened()).waitlist.erase(addressHash),
    reseal: async (seals) => (await opened()).waitlist.reseal(seals),
  }
  const apiKeys: ApiKeyStore = {
    find: async (keyId) => (await opened()).apiKeys.find(keyId),
    add: async (key, maxActive) => (await opened()).apiKeys.add(key, maxActive),
    revoke: async (keyId, nowMs) => (await opened()).apiKeys.revoke(keyId, nowMs),
    rehash: async (rehash) => (await opened()).apiKeys.rehash(rehash),
    count: async (nowMs) => (await opened()).apiKeys.count(nowMs),
    readAfter: async (keyId, limit) => (await opened()).apiKeys.readAfter(keyId, limit),
    purge: async (beforeMs) => (await opened()).apiKeys.purge(beforeMs),
  }
  return {
    waitlist,
    apiKeys,
    async close() {
      isClosed = true
      const storage = await opening?.catch(() => undefined)
      await storage?.close()
    },
  }
}
