import type { LogFault } from '@public-api/client-internal/log/log-error'
import type { VerificationFault } from '@public-api/client-internal/verification-error'
import type { VersionEntry } from '@public-api/contract/history/version-chain'

/** Result of a vector: `ok`, or the step that fails. The vectors' README describes the steps. */
export type VectorOutcome = 'ok' | Exclude<VerificationFault, 'KEY_MALFORMED'>

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
  readonly expected: VectorOutcome
  readonly revalidation: VectorResponse
}

/** One case, as its JSON file has it. */
export interface Vector {
  readonly description: string
  readonly expected: VectorOutcome
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
  /** In valid vectors: the codes of the warnings; missing for none. */
  readonly warnings?: readonly string[]
  readonly revalidationText?: string
}

/** Results of checking a chain of entries. */
export type HistoryOutcome = 'ok' | 'BROKEN' | 'CHANGES_FALSE'

/** One case of the folder `history`, as its JSON file has it. */
export interface HistoryVector {
  readonly description: string
  readonly expected: HistoryOutcome
  /** Id of the first entry, oldest first, that is wrong; missing if `expected` is `ok`. */
  readonly at?: string
  /** The whole chain, oldest first. */
  readonly entries: readonly VersionEntry[]
}

/** One case of the folder `log`, as its JSON file has it. */
export interface LogVector {
  readonly description: string
  /** `ok`, or the code with which the check must fail. */
  readonly expected: 'ok' | LogFault
  /** The code instead where the verifier cannot check signatures of ML-DSA-44. */
  readonly withoutMlDsa44?: LogFault
  /** The verifier's clock: ISO 8601 UTC. */
  readonly now: string
  /** Text of the policy. */
  readonly policy: string
  /** Maximum age of the quorum's cosignatures in seconds; missing for any age. */
  readonly maxAgeSeconds?: number
  /** A signed checkpoint. A case has this or `proof`. */
  readonly note?: string
  /** Text of an offline proof. */
  readonly proof?: string
  /** The entry in base64, for a proof that does not contain it. */
  readonly entryBase64?: string
  /** Bytes of a resource in base64, to be verified too. */
  readonly resourceBase64?: string
  /** In valid cases: what the check returns. */
  readonly result?: {
    readonly size: number
    /** The root hash in base64. */
    readonly root: string
    /** When the quorum had cosigned; null if the policy asks for no witness. */
    readonly witnessedAt: string | null
    /** Of the proved version. */
    readonly hash?: string
    /** Names of the resources with the given bytes. */
    readonly resources?: readonly string[]
  }
}

/** One case of the folder `keys`, as its JSON file has it: a response of the signing-key endpoint. */
export interface KeyVector {
  readonly description: string
  /** `ok`, or the step with which the check of the document must fail. */
  readonly expected: VectorOutcome
  /** The verifier's clock: ISO 8601 UTC. */
  readonly now: string
  /** Whom the verifier trusts; empty for every key of the document. */
  readonly pinnedKeyIds: readonly string[]
  readonly keyRequest: { readonly method: string; readonly target: string }
  readonly response: VectorResponse
  /** In valid cases: the IDs of the keys, computed from the keys, in the order of the document. */
  readonly keyIds?: readonly string[]
}
