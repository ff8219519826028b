import type { ApiKeyStore } from './api-key-store.ts'
import type { WaitlistStore } from './waitlist-store.ts'

/** Which database a deployment uses. A `file` is an absolute path; a `url` may contain a password and is never logged. */
export type DatabaseLocation =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** Where everything that changes is kept. */
export interface Storage {
  readonly waitlist: WaitlistStore
  readonly apiKeys: ApiKeyStore
  /** Finishes what was begun, then lets go of the files. Later calls reject with CLOSED. */
  close(): Promise<void>
}
