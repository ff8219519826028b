/** A request as the pipeline receives it, independent of the transport. */
export interface ApiRequest {
  /** As received; methods are case-sensitive (RFC 9110 9.1). */
  readonly method: string
  /** The request target as received, in origin form: path, and `?query` if sent. This is what is signed. */
  readonly target: string
  /** The part of `target` before the first `?`; nothing is decoded or resolved. */
  readonly path: string
  /** Several field lines are joined into one list (RFC 9110 5.3). */
  header(name: Lowercase<string>): string | undefined
  /** Address of the peer, possibly a proxy; empty after the close. Never stored, logged or used as a key. */
  peerAddress(): string
  /** The whole body; throws ApiError PAYLOAD_TOO_LARGE if it exceeds the limit. Call it once. */
  readBody(limitBytes: number): Promise<Uint8Array>
}

/** The text before and after data, whose bytes several responses share. */
export type BodyParts = readonly [start: string, data: Uint8Array, end: string]

/** A response, ready to be written. */
export interface Reply {
  readonly status: number
  /** Names and values alternate. The listener adds `Date` and connection headers. */
  readonly headers: readonly string[]
  /** Text in UTF-8, or bytes. If undefined, nothing is sent after the headers. */
  readonly body: string | Uint8Array | BodyParts | undefined
}

/** The bytes of a body. */
export function bytesOfBody(body: NonNullable<Reply['body']>): Buffer {
  const parts = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

/** Takes a request and returns its response; never throws and never rejects. */
export type App = (request: ApiRequest) => Reply | Promise<Reply>
