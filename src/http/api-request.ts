/** A request as the pipeline sees it, whatever carried it. */
export interface ApiRequest {
  /** As received; methods are case-sensitive (RFC 9110 9.1). */
  readonly method: string
  /** The request target as received, in origin form: path, and `?query` where one was sent. This is what is signed. */
  readonly target: string
  /** The part of `target` before the first `?`; nothing is decoded or resolved. */
  readonly path: string
  /** A header's value by lower-case name; several field lines are one list (RFC 9110 5.3). */
  header(name: string): string | undefined
  /**
   * The address at the other end of the connection, which may be a proxy's; empty once the connection is gone. Never
   * stored, logged or used as a key.
   */
  peerAddress(): string
  /** The whole body; throws ApiError PAYLOAD_TOO_LARGE when it has more bytes than the limit. To be called once. */
  readBody(limitBytes: number): Promise<Uint8Array>
}

/** A response, ready to be written. */
export interface Reply {
  readonly status: number
  /** Names and values in turn. `Date` and connection headers are the listener's. */
  readonly headers: readonly string[]
  /** Text in UTF-8, or bytes as they are. Nothing is sent after the headers when it is undefined. */
  readonly body: string | Uint8Array | undefined
}

/** A request in, its response out; never throws and never rejects. */
export type App = (request: ApiRequest) => Reply | Promise<Reply>

/** Splits a request target at the first `?`. */
export function pathOf(target: string): string {
  const query = target.indexOf('?')
  return query === -1 ? target : target.slice(0, query)
}
