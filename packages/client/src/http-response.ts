import type { HeaderSource } from './header-fields.ts'

/** A response, with the method and target of its request. */
export interface HttpResponse {
  /** Method of the request. */
  readonly method: string
  /** Path and query exactly as sent: not decoded or reordered, and with a trailing question mark. */
  readonly target: string
  /** If-None-Match of the request. A 304 is accepted only if it lists the 304's entity tag. */
  readonly ifNoneMatch?: string
  /** HTTP status. */
  readonly status: number
  /** Header fields of the response. */
  readonly headers: HeaderSource
  /** The exact bytes of the body, after removing any content coding (gzip, br). Empty for a 304. */
  readonly body: Uint8Array
}
