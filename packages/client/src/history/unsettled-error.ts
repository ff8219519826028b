import type { HistoryEvidence } from './history-evidence.ts'
import type { HistoryFinding } from './history-proofs.ts'

/** A contradiction that a release in progress explains. */
export interface UnsettledContradiction {
  /** Proves the fault only if its responses are signed more than 10 minutes apart. */
  readonly evidence: HistoryEvidence
  /** The version or resource, and the two values. */
  readonly finding: HistoryFinding
}

/**
 * The audit neither confirmed nor disproved the history. Either a version was published during each attempt, or
 * responses contradict each other in a way that a release explains while it reaches the nodes of the service one after the
 * other. The next audit with the same store settles it.
 *
 * @example
 * ```ts
 * if (error instanceof UnsettledError) console.error(`Not settled; audit again later: ${error.message}`)
 * ```
 */
export class UnsettledError extends Error {
  /** As the errors of the other clients. */
  readonly code: string = 'UNSETTLED'
  /** Undefined if versions were published during each attempt. */
  readonly contradiction: UnsettledContradiction | undefined

  constructor(fault: string, contradiction?: UnsettledContradiction) {
    super(fault)
    this.name = 'UnsettledError'
    this.contradiction = contradiction
  }
}
