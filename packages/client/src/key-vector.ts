import type { Outcome, VectorResponse } from './vector.ts'

/** One case of the folder `keys`, as its JSON file has it: a response of the signing-key endpoint. */
export interface KeyVector {
  readonly description: string
  /** `ok`, or the step with which the check of the document must fail. */
  readonly expected: Outcome
  /** The verifier's clock: ISO 8601 UTC. */
  readonly now: string
  /** Whom the verifier trusts; empty for every key of the document. */
  readonly pinnedKeyIds: readonly string[]
  readonly keyRequest: { readonly method: string; readonly target: string }
  readonly response: VectorResponse
  /** In valid cases: the IDs of the keys, computed from the keys, in the order of the document. */
  readonly keyIds?: readonly string[]
}
