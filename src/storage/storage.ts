import type { ApiKeyStore } from './api-key-store.ts'
import type { WaitlistStore } from './waitlist-store.ts'

/** Where everything that changes is kept. */
export interface Storage {
  readonly waitlist: WaitlistStore
  readonly apiKeys: ApiKeyStore
  /** Finishes what was begun, then lets go of the files. Later calls reject with CLOSED. */
  close(): Promise<void>
}
