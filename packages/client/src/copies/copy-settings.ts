import type { ConnectionLimits, Fetch } from '../connection.ts'

/** Stores texts by name. `createFileResponseStore` of `@public-api/client/node` has one for Node. */
export interface ResponseStore {
  /** The text that was saved last under a name, or undefined. */
  load(name: string): Promise<string | undefined>
  /** Replaces the text of a name. */
  save(name: string, text: string): Promise<void>
}

/** What reading copies needs of the client. */
export interface CopySettings {
  /** Origin of the service. */
  readonly origin: string
  /** URLs of copies, in their order. */
  readonly mirrors: readonly (string | URL)[]
  /** Maximum age of a copy. */
  readonly maxAgeSeconds: number
  /** Has the last verified responses. */
  readonly store: ResponseStore | undefined
  /** Sends the requests. */
  readonly fetch: Fetch
  /** Limits of a response. */
  readonly limits: ConnectionLimits
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
  /** IDs of the keys to trust; undefined while none is known. */
  readonly trusted: () => readonly string[] | undefined
}
