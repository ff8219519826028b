/** Result of a vector: `ok`, or the step that fails. The vectors' README describes the steps. */
export const OUTCOMES = [
  'ok',
  'UNKNOWN_KEY',
  'UNSIGNED',
  'DIGEST',
  'SIGNATURE',
  'MALFORMED',
  'FUTURE',
  'KEY_PERIOD',
  'STALE',
  'REVALIDATION',
  'ETAG',
  'REQUEST_ID',
] as const

export type Outcome = (typeof OUTCOMES)[number]

/** Name and value, as on the wire. */
export type HeaderPair = readonly [name: string, value: string]

export interface VectorResponse {
  readonly status: number
  readonly headers: readonly HeaderPair[]
  /** The exact bytes of the body in base64; null when the response has none. */
  readonly bodyBase64: string | null
}

/** One later check of a stored response. */
export interface VectorLink {
  readonly now: string
  readonly expected: Outcome
  readonly revalidation: VectorResponse
}

/** One case, as its JSON file has it. */
export interface Vector {
  readonly description: string
  readonly expected: Outcome
  /** The verifier's clock: ISO 8601 UTC. */
  readonly now: string
  readonly maxAgeSeconds: number
  /** The key in the signing-key document. */
  readonly publicKey: {
    readonly keyId: string
    readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string }
    readonly pem: string
    readonly notBefore?: string
    readonly notAfter?: string
  }
  /** The key ID that the client trusts, from a source other than the service. */
  readonly pinnedKeyId: string
  readonly request: {
    readonly method: string
    readonly target: string
    readonly headers: readonly HeaderPair[]
  }
  readonly response: VectorResponse
  /** A later response to the same request, with which a cache revalidated the response. */
  readonly revalidation?: VectorResponse
  /** Later checks, each with the latest 304 and the expected outcome. */
  readonly chain?: readonly VectorLink[]
  /** The signed text, in valid vectors. */
  readonly signedText?: string
  readonly revalidationText?: string
}
