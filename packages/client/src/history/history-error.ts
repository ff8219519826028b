import type { HistoryEvidence } from './history-evidence.ts'
import { HISTORY_FAULTS, type HistoryFault, type HistoryFinding } from './history-proofs.ts'

/**
 * The service signed responses that cannot all be true. Anyone can check `evidence` with `verifyEvidence`.
 *
 * @example
 * ```ts
 * try {
 *   await auditHistory({ client, store })
 * } catch (error) {
 *   if (!(error instanceof HistoryError)) throw error
 *   await writeFile('evidence.json', JSON.stringify(error.evidence))
 * }
 * ```
 */
export class HistoryError extends Error {
  /** How the responses contradict each other. */
  readonly code: HistoryFault
  /** JSON. Store it: this is the only copy of the proof. */
  readonly evidence: HistoryEvidence
  /** The version or resource, and the two values. */
  readonly finding: HistoryFinding

  constructor(evidence: HistoryEvidence, finding: HistoryFinding) {
    super(
      `${evidence.fault}: ${HISTORY_FAULTS[evidence.fault]} (${formatFinding(evidence.fault, finding)})`,
    )
    this.name = 'HistoryError'
    this.code = evidence.fault
    this.evidence = evidence
    this.finding = finding
  }
}

/** A finding as part of a sentence. */
export function formatFinding(
  fault: HistoryFault,
  { at, expected, found }: HistoryFinding,
): string {
  if (fault === 'SHORTENED') return `${expected} was signed, now the history ends with ${found}`
  if (fault === 'REWRITTEN') return `${at} is signed with ${expected} and with ${found}`
  return `${at}: expected ${expected}, found ${found}`
}

/**
 * The history contradicts the saved head, but unrelated keys signed the two: another service may have
 * taken over the address. This is not evidence against either key holder.
 *
 * @example
 * ```ts
 * if (error instanceof UnlinkedKeysError) {
 *   console.error(`Ask the operator which of these keys are theirs: ${error.keyIds.join(', ')}`)
 * }
 * ```
 */
export class UnlinkedKeysError extends Error {
  readonly code = 'UNLINKED_KEYS'
  /** Where the history contradicts the saved head. */
  readonly finding: HistoryFinding
  /** The unrelated keys. */
  readonly keyIds: readonly string[]

  constructor(fault: HistoryFault, finding: HistoryFinding, keyIds: readonly string[]) {
    super(
      `the history does not continue the saved one (${formatFinding(fault, finding)}), and the keys ${keyIds.join(' and ')} are not linked by a key document; another service may use this address now`,
    )
    this.name = 'UnlinkedKeysError'
    this.finding = finding
    this.keyIds = keyIds
  }
}
