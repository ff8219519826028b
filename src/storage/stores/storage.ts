import type { Counters } from '../counters/counters.ts'
import type { ApiKeyStore } from './api-key-store.ts'
import type { WaitlistStore } from './waitlist-store.ts'

/** Which database a deployment uses. A `file` is an absolute path; a `url` may contain a password and is never logged. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }

/**
 * How a database is opened. `create` creates a missing one; `read-write` requires a file; both migrate it to the current
 * version. `read-only` changes nothing and requires the current version.
 */
export type StorageMode = 'create' | 'read-write' | 'read-only'

export interface Stores {
  readonly waitlist: WaitlistStore
  readonly apiKeys: ApiKeyStore
}

export interface Storage extends Stores {
  /** Counters in the database, if it is shared by several nodes. */
  readonly counters?: Counters
  /** Resolves when the database can be read now; opens it if that failed before. Rejects with a StorageError otherwise. */
  ping(): Promise<void>
  /** Finishes pending calls and closes the database. Later calls reject with CLOSED. */
  close(): Promise<void>
}
