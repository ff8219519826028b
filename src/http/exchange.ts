import type { Endpoint } from '../contract/endpoints.ts'
import type { CheckedKey } from '../service/api-keys.ts'
import type { Payload } from '../service/payload.ts'
import type { ApiRequest } from './api-request.ts'

/** Gives the data of a success, or throws ApiError. One per row of the registry. */
export type Handler = (exchange: Exchange) => Payload | Promise<Payload>

/** A row of the registry joined with its handler. */
export interface ServedEndpoint {
  readonly name: string
  readonly row: Endpoint
  readonly handler: Handler
}

/** A path and the rows that stand on it. */
export interface Route {
  /** Rows by method; HEAD goes with GET. */
  readonly endpoints: ReadonlyMap<string, ServedEndpoint>
  /** Value of `Allow`: read methods first, as the registry orders them. */
  readonly allow: string
  /** Whether the path can be read, and so answers preflights. */
  readonly isRead: boolean
}

/** One request on its way through the pipeline, and what the steps have found out so far. */
export interface Exchange {
  readonly request: ApiRequest
  /** When the request was taken up: milliseconds since the epoch, and the same as the wire writes it. */
  readonly nowMs: number
  readonly issuedAt: string
  readonly requestId: string
  /** Set by findRoute; an unknown path ends there. */
  route: Route | undefined
  /** Set by findRoute: what the caller filled in for the path's parameter. */
  parameter: string
  /** Set by checkMethod. */
  endpoint: ServedEndpoint | undefined
  /** Set by checkKey when the request carries a key. */
  key: CheckedKey | undefined
  /** Set by receiveBody, for the rows that take one. */
  body: Uint8Array | undefined
  /** Set by callHandler. */
  payload: Payload | undefined
}
