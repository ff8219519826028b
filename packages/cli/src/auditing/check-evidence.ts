import {
  CommandFailure,
  EXIT_CODES,
  UsageError,
  type CommandResult,
} from '@public-api/cli-kit/command'
import {
  EvidenceError,
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-internal/history/history-evidence'
import {
  verifyForkEvidence,
  type ForkEvidence,
} from '@public-api/client-internal/log/fork-evidence'
import { LOG_FAULTS, LogError } from '@public-api/client-internal/log/log-error'
import { verifyLogMismatch, type LogMismatch } from '@public-api/client-internal/log/log-mismatch'
import type { LogPolicy } from '@public-api/client-internal/log/log-policy'
import { verifyWithheld, type WithheldEvidence } from '@public-api/client-internal/log/withheld'
import { VerificationError } from '@public-api/client-internal/verification-error'
import { propertyOf } from '@public-api/contract/json/property-of'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { readJsonFile } from '../verifying/saved-response.ts'

/** Whom a third party trusts. */
export interface EvidenceTrust {
  readonly pinnedKeyIds: readonly string[] | undefined
  readonly policy: LogPolicy | undefined
}

/** What the evidence proves. */
async function prove(evidence: unknown, { pinnedKeyIds, policy }: EvidenceTrust) {
  const format = propertyOf(evidence, 'format')
  const needPins = (): readonly string[] => {
    if (pinnedKeyIds !== undefined) return pinnedKeyIds
    throw new UsageError(
      '--check-evidence needs --pin for this file: anyone can sign with their own key',
    )
  }
  const needPolicy = (): LogPolicy => {
    if (policy !== undefined) return policy
    throw new UsageError('--check-evidence needs --policy FILE for this file, which is about a log')
  }
  if (format === 'svc-log-fork-v1') {
    const origin = await verifyForkEvidence(evidence as ForkEvidence, needPolicy())
    const meaning = LOG_FAULTS.FORK
    return { fault: 'FORK', meaning, signers: `Both checkpoints are signed by ${origin}.` }
  }
  if (format === 'svc-log-mismatch-v1') {
    const trust = { policy: needPolicy(), pinnedKeyIds: needPins(), nowMs: Date.now() }
    const snapshotId = await verifyLogMismatch(evidence as LogMismatch, trust)
    const signers = `A log of the policy and a key that you pinned signed two different ${snapshotId}.`
    return { fault: 'LOG_MISMATCH', meaning: LOG_FAULTS.LOG_MISMATCH, signers }
  }
  if (format === 'svc-withheld-v1') {
    const withheld = evidence as WithheldEvidence
    const isNote = typeof withheld.shown === 'string'
    const pins = isNote ? undefined : needPins()
    const trust = { policy: needPolicy(), pinnedKeyIds: pins, nowMs: Date.now() }
    const { known, shown } = await verifyWithheld(withheld, trust)
    const signers = `A log of the policy signed ${known} versions, and ${isNote ? 'it' : 'a key that you pinned'} signed ${shown} more than 10 minutes later.`
    return { fault: 'WITHHELD', meaning: 'versions that were signed are withheld', signers }
  }
  const history = evidence as HistoryEvidence
  const { fault, meaning } = await verifyEvidence(history, { pinnedKeyIds: needPins() })
  const signers = `All ${history.responses.length} responses are signed by keys that you pinned.`
  return { fault, meaning, signers }
}

/** Checks a file of evidence offline. Throws a CommandFailure if it proves nothing. */
export async function checkEvidence(file: string, trust: EvidenceTrust): Promise<CommandResult> {
  const evidence = await readJsonFile(file)
  try {
    const { fault, meaning, signers } = await prove(evidence, trust)
    return {
      json: { fault, meaning },
      lines: [`Proved: ${fault}, ${meaning}.`, sanitizeForTerminal(signers, 400)],
    }
  } catch (error) {
    if (error instanceof EvidenceError) {
      throw new CommandFailure(error.code, `${file}: ${sanitizeForTerminal(error.message)}`, {
        exitCode: error.code === 'UNSETTLED' ? EXIT_CODES.unreachable : EXIT_CODES.failure,
      })
    }
    if (error instanceof VerificationError || error instanceof LogError) {
      throw new CommandFailure(
        error.code,
        `${file}: proves nothing; ${sanitizeForTerminal(error.message, 400)}`,
      )
    }
    // A nested member has the wrong type: anyone can write this file.
    if (!(error instanceof TypeError)) throw error
    throw new CommandFailure('NO_EVIDENCE', `${file}: expected evidence that svc audit wrote`)
  }
}
