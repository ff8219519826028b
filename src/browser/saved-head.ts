import { createLocalStorageHeadStore } from '@public-api/client-internal/history/head-store'
import { entriesOf } from '@public-api/client-internal/history/history-statement'
import { verifyPortable } from '@public-api/client-internal/portable-response'
import { importKey } from '@public-api/client-internal/verification-key'

/** Opens the saved head with this name; undefined if the browser provides no storage. */
export function openSavedHead(name: string) {
  let storage: Storage
  try {
    // If storage is disabled, even reading the property throws.
    storage = localStorage
  } catch {
    return undefined
  }
  const store = createLocalStorageHeadStore(name, storage)
  return {
    /** For the audit. */
    store,
    /**
     * The saved head with its signature verified, when it was signed as the newest version, and the ids of the service's
     * keys at the time; undefined if nothing is saved. Rejects if it cannot be read.
     */
    async read() {
      const saved = await store.load()
      if (saved === undefined) return undefined
      const { data, provedAtMs } = await verifyPortable(saved.response, saved.keys)
      const [head] = entriesOf(data)
      if (head === undefined) throw new TypeError(`${name}: expected the newest version`)
      const keys = await Promise.all(saved.keys.map(importKey))
      return { head, signedAtMs: provedAtMs, keyIds: keys.map(({ keyId }) => keyId) }
    },
    forget: (): void => storage.removeItem(name),
  }
}

/** The head of the last audit in this browser's storage. */
export type SavedHeadStorage = NonNullable<ReturnType<typeof openSavedHead>>

/** The head of an earlier audit. */
export type PageHead = NonNullable<Awaited<ReturnType<SavedHeadStorage['read']>>>
