import type { HttpResponse } from './http-response.ts'
import type { RateLimit } from './rate-limit.ts'

/** Options of a read. */
export interface ReadOptions {
  /** Ends the read with its reason. */
  readonly signal?: AbortSignal
  /**
   * Requests a response that was created for this call: a random query parameter bypasses every cache. The signature
   * covers the target, so an older response fails verification. A copy never replaces it.
   */
  readonly fresh?: boolean
  /** Whether a copy may replace the response of a service that is away. Default: true. */
  readonly copies?: boolean
}

/** Verified data with its proof. */
export interface Verified<Data> {
  /** `data` of the envelope, or the whole document if it has no envelope. */
  readonly data: Data
  /** The entity tag of `data`, computed from it. */
  readonly etag: string
  /** RFC 7638 ID of the key that signed it last. */
  readonly keyId: string
  /** When the data was last signed as current: milliseconds since 1970. */
  readonly provedAtMs: number
  /** Id of the request, for questions to the operator. Undefined for openapi.json, which has no envelope. */
  readonly requestId: string | undefined
  /** Quota of the API key; undefined without a key. */
  readonly rateLimit: RateLimit | undefined
  /** The signed response. From a mirror, that of the newest version, which names the digest of the data. */
  readonly response: HttpResponse
  /** Where the data comes from: the service, a mirror, or the store of the last verified responses. */
  readonly source: 'origin' | 'mirror' | 'store'
  /** Whole seconds from `provedAtMs` to the read. */
  readonly ageSeconds: number
  /**
   * What does not match in header fields that are not signed, copies that were passed over, and what could not be stored:
   * `CODE: …`.
   */
  readonly warnings: readonly string[]
}
