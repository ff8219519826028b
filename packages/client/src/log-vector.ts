import type { LogFault } from './log/log-error.ts'

/** One case of the folder `log`, as its JSON file has it. */
export interface LogVector {
  readonly description: string
  /** `ok`, or the code with which the check must fail. */
  readonly expected: 'ok' | LogFault
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
