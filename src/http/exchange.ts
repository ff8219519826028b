import type { Endpoint } from '@public-api/contract/registry/endpoints'
import type { CheckedKey } from '../service/api-keys/api-keys.ts'
import type { Payload } from '../service/releases/payload.ts'
import type { ApiRequest } from './api-request.ts'

/** Returns the data of a success, or throws ApiError. One per row of the registry. */
export type Handler = (exchange: Exchange) => Payload | Promise<Payload>

/** A row of the registry joined with its handler. */
export interface ServedEndpoint {
  readonly name: string
  readonly row: Endpoint
  readonly handler: Handler
}

/** A path and its rows. */
export interface Route {
  /** Rows by method; HEAD goes with GET. */
  readonly endpoints: ReadonlyMap<string, ServedEndpoint>
  /** Value of `Allow`: read methods first, in the order of the registry. */
  readonly allow: string
  /** Whether the path can be read, and therefore has preflights. */
  readonly isRead: boolean
}

/** A request in the pipeline, with the results of earlier steps. */
export interface Exchange {
  readonly request: ApiRequest
  /** When the request was received: milliseconds since the epoch, and as an ISO 8601 text. */
  readonly nowMs: number
  readonly issuedAt: string
  readonly requestId: string
  /** Undefined for an unknown path. */
  readonly route: Route | undefined
  /** The value of the path's parameter; empty if it has none. */
  readonly parameter: string
  /** Undefined for a method that the path does not have. */
  readonly endpoint: ServedEndpoint | undefined
  /** Set if the request has a valid key. */
  key: CheckedKey | undefined
  /** Empty unless the row has a body. */
  body: Uint8Array
}
