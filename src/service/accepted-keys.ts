import type { StoredApiKey } from '../storage/api-key-store.ts'

/** What a request with an accepted key needs to know of it. */
export type AcceptedKey = Pick<StoredApiKey, 'keyId' | 'label' | 'createdAtMs' | 'expiresAtMs'>

/**
 * Keys that were accepted at the present revision of the key store. They are kept under a keyed hash of the whole key and
 * never under its id: so only who has a valid key finds one, and whatever is wrong with another, it is not here, which
 * takes the same time.
 */
export interface AcceptedKeys {
  /** The key with this hash. Another revision than the last one asked for makes everything forgotten first. */
  find(hash: string, revision: number): AcceptedKey | undefined
  /** Keeps a key that was read after its store told this revision; not if a later one was asked for meanwhile. */
  add(hash: string, revision: number, key: AcceptedKey): void
}

/** A memory of at most so many keys; for another one the oldest goes. */
export function createAcceptedKeys(most: number): AcceptedKeys {
  const keys = new Map<string, AcceptedKey>()
  let present = Number.NaN

  return {
    find(hash, revision) {
      if (revision !== present) {
        keys.clear()
        present = revision
      }
      return keys.get(hash)
    },

    add(hash, revision, { keyId, label, createdAtMs, expiresAtMs }) {
      if (revision !== present) return
      if (keys.size >= most && !keys.has(hash)) {
        const [oldest] = keys.keys()
        if (oldest !== undefined) keys.delete(oldest)
      }
      keys.set(hash, { keyId, label, createdAtMs, expiresAtMs })
    },
  }
}
