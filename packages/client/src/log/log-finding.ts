import { EvidenceError } from '../history/history-evidence.ts'
import { UnsettledError } from '../history/unsettled-error.ts'
import type { ForkEvidence } from './fork-evidence.ts'
import type { LogMismatch } from './log-mismatch.ts'
import type { LogPolicy } from './log-policy.ts'
import { verifyWithheld, type WithheldEvidence } from './withheld.ts'

/**
 * The log contradicts itself or the history, or versions were withheld. Anyone can check the evidence: `verifyForkEvidence`
 * (FORK), `verifyLogMismatch` (LOG_MISMATCH) or `verifyWithheld` (WITHHELD).
 *
 * @example
 * ```ts
 * if (error instanceof LogFinding && error.evidence !== undefined) {
 *   await writeFile('evidence.json', JSON.stringify(error.evidence))
 * }
 * ```
 */
export class LogFinding extends Error {
  /** What was found. */
  readonly code: 'FORK' | 'LOG_MISMATCH' | 'WITHHELD'
  /** Signed by those whom it accuses; undefined if the service withheld it. */
  readonly evidence: ForkEvidence | LogMismatch | WithheldEvidence | undefined

  constructor(code: LogFinding['code'], detail: string, evidence: LogFinding['evidence']) {
    super(detail.startsWith(code) ? detail : `${code}: ${detail}`)
    this.name = 'LogFinding'
    this.code = code
    this.evidence = evidence
  }
}

/**
 * The log or the API of a service has fewer versions than are known. A release in progress explains it; a statement that is
 * signed more than 10 minutes later makes it a LogFinding (WITHHELD).
 *
 * @example
 * ```ts
 * if (error instanceof LaggingError) console.error(`Not settled; audit again later: ${error.message}`)
 * ```
 */
export class LaggingError extends UnsettledError {
  override readonly name = 'LaggingError'
  /** For scripts. */
  override readonly code = 'LAGGING'
  /** Both signed statements. They prove nothing yet. */
  readonly evidence: WithheldEvidence

  constructor(detail: string, evidence: WithheldEvidence) {
    super(detail)
    this.evidence = evidence
  }
}

type LagFailure = LaggingError | (LogFinding & { readonly evidence: WithheldEvidence })

/** The error for a log or an API that has fewer versions than a verified checkpoint: LogFinding or LaggingError. */
export async function createLagFailure(
  detail: string,
  statements: Omit<WithheldEvidence, 'format'>,
  { policy, nowMs }: { readonly policy: LogPolicy; readonly nowMs: number },
): Promise<LagFailure> {
  const evidence: WithheldEvidence = { format: 'svc-withheld-v1', ...statements }
  try {
    await verifyWithheld(evidence, { policy, pinnedKeyIds: undefined, nowMs })
    const fault = `${detail}, signed more than 10 minutes later`
    return Object.assign(new LogFinding('WITHHELD', fault, evidence), { evidence })
  } catch (error) {
    if (!(error instanceof EvidenceError)) throw error
    return new LaggingError(detail, evidence)
  }
}
