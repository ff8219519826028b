import { isKeyList, isListOf, isPortable, type PortableResponse } from '../portable-response.ts'
import { MAX_KEYS } from '../signing-keys.ts'
import type { PublishedKey } from '../verification-key.ts'
import { HISTORY_FAULTS, PROOFS, type HistoryFault } from './history-proofs.ts'
import { verifyStatements } from './history-statement.ts'
import { areOfOneLineage } from './key-lineage.ts'

/** Signed responses that cannot all be true, as JSON. Anyone can check it without the service. */
export interface HistoryEvidence {
  /** Name of this format. */
  readonly format: 'svc-history-evidence-v1'
  /** How the responses contradict each other. */
  readonly fault: HistoryFault
  /** The keys that signed. Compare their ids with the ids you pinned. */
  readonly keys: readonly PublishedKey[]
  /** In the order in which they were signed. */
  readonly responses: readonly PortableResponse[]
  /**
   * Signed responses of the signing-key endpoint. Two keys count as one service only if one of these, signed by the older
   * key, lists both.
   */
  readonly keyDocuments?: readonly PortableResponse[]
}

/** The fault that evidence proves. */
export interface ProvenFault {
  /** How the responses contradict each other. */
  readonly fault: HistoryFault
  /** A description of the fault. */
  readonly meaning: string
}

/**
 * The responses are signed, but they do not prove what the evidence claims.
 *
 * @example
 * ```ts
 * try {
 *   const { fault } = await verifyEvidence(JSON.parse(text), { pinnedKeyIds })
 *   console.log(`Proven: ${fault}`)
 * } catch (error) {
 *   if (error instanceof EvidenceError) console.log(`Proves nothing: ${error.message}`)
 *   else throw error
 * }
 * ```
 */
export class EvidenceError extends Error {
  /** UNSETTLED: a release that reaches the nodes one after the other explains the responses too. */
  readonly code: 'NO_EVIDENCE' | 'UNSETTLED'

  constructor(fault: string, code: EvidenceError['code'] = 'NO_EVIDENCE') {
    super(fault)
    this.name = 'EvidenceError'
    this.code = code
  }
}

/** Maximum number of responses that any fault needs. */
const MAX_RESPONSES = 3
/** One from the saved head, one from the audit. */
const MAX_KEY_DOCUMENTS = 2
/** The keys of a service then and now. */
const MAX_EVIDENCE_KEYS = 2 * MAX_KEYS

/**
 * Checks evidence offline: that pinned keys of one lineage signed every response, and that the responses contradict each
 * other as the evidence claims. Returns what is proved. Throws a VerificationError if a signature is invalid, and an
 * EvidenceError if the responses prove nothing.
 *
 * @example
 * ```ts
 * const { fault, meaning } = await verifyEvidence(JSON.parse(text), { pinnedKeyIds })
 * ```
 */
export async function verifyEvidence(
  evidence: HistoryEvidence,
  { pinnedKeyIds }: { readonly pinnedKeyIds: readonly string[] },
): Promise<ProvenFault> {
  // Anyone can write this file, so it may be any JSON.
  const { format, fault, keys, responses, keyDocuments = [] } = Object(evidence) as HistoryEvidence
  const isWhole =
    format === 'svc-history-evidence-v1' &&
    typeof fault === 'string' &&
    Object.hasOwn(PROOFS, fault) &&
    isKeyList(keys, MAX_EVIDENCE_KEYS) &&
    isListOf(responses, MAX_RESPONSES, isPortable) &&
    isListOf(keyDocuments, MAX_KEY_DOCUMENTS, isPortable)
  if (!isWhole) {
    throw new EvidenceError('expected evidence of the format svc-history-evidence-v1')
  }
  const verifyAll = (portable: readonly PortableResponse[]) =>
    verifyStatements(portable, keys, pinnedKeyIds)
  const statements = await verifyAll(responses)
  const proof = await PROOFS[fault](statements)
  if (proof === 'nothing') {
    throw new EvidenceError(`the responses are signed, and do not prove ${fault}`)
  }
  if (!(await areOfOneLineage(statements, await verifyAll(keyDocuments)))) {
    throw new EvidenceError('different keys signed the responses, and no key document links them')
  }
  if (proof === 'unsettled') {
    throw new EvidenceError(
      `the responses show ${fault}, but were signed within 10 minutes of each other, as during a release`,
      'UNSETTLED',
    )
  }
  return { fault, meaning: HISTORY_FAULTS[fault] }
}
