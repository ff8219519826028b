import {
  createLocalStorageHeadStore,
  type HeadStore,
} from '../../packages/client/src/head-store.ts'
import { entriesOf } from '../../packages/client/src/history-evidence.ts'
import { verifyPortable } from '../../packages/client/src/portable-response.ts'
import { importKey } from '../../packages/client/src/verification-key.ts'
import type { VersionSummary } from '../contract/version-chain.ts'

/** The head of an earlier audit, as it was found. */
export interface SavedHead {
  readonly head: VersionSummary
  /** When it was signed to be the newest: milliseconds since 1970. */
  readonly signedAtMs: number
  /** Ids of the keys that the service had then. */
  readonly keyIds: readonly string[]
}

/** The place in this browser where the head of the last audit is kept. */
export interface SavedHeadStorage {
  /** For the audit. */
  readonly store: HeadStore
  /** What is kept, with its signature checked; undefined where nothing is. Rejects where it cannot be read. */
  read(): Promise<SavedHead | undefined>
  forget(): void
}

/** Opens the place of that name; undefined where the browser gives the page no storage. */
export function openSavedHead(name: string): SavedHeadStorage | undefined {
  let storage: Storage
  try {
    // Where storage is switched off, even naming it throws.
    storage = localStorage
  } catch {
    return undefined
  }
  const store = createLocalStorageHeadStore(name, storage)
  return {
    store,
    async read() {
      const saved = await store.load()
      if (saved === undefined) return undefined
      const { data, provedAtMs } = await verifyPortable(saved.response, saved.keys)
      const [head] = entriesOf(data)
      if (head === undefined) throw new TypeError(`${name}: expected the newest version`)
      const keys = await Promise.all(saved.keys.map(importKey))
      return { head, signedAtMs: provedAtMs, keyIds: keys.map(({ keyId }) => keyId) }
    },
    forget: () => storage.removeItem(name),
  }
}
