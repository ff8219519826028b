import {
  EvidenceError,
  verifyEvidence,
  type HistoryEvidence,
} from '@public-api/client-source/history-evidence'
import { VerificationError } from '@public-api/client-source/verification-error'
import { CommandFailure, EXIT_CODES, type CommandResult } from '@public-api/command/command'
import { readJsonFile } from '../verifying/saved-response.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'

/** Checks a file of evidence offline. Throws a CommandFailure if it proves nothing. */
export async function checkEvidence(
  file: string,
  pinnedKeyIds: readonly string[],
): Promise<CommandResult> {
  const evidence = (await readJsonFile(file)) as HistoryEvidence
  try {
    const { fault, meaning } = await verifyEvidence(evidence, { pinnedKeyIds })
    return {
      json: { fault, meaning },
      lines: [
        `Proved: ${fault}, ${meaning}.`,
        `All ${evidence.responses.length} responses are signed by keys that you pinned.`,
      ],
    }
  } catch (error) {
    if (error instanceof EvidenceError) {
      throw new CommandFailure(error.code, `${file}: ${sanitizeForTerminal(error.message)}`, {
        exitCode: error.code === 'UNSETTLED' ? EXIT_CODES.unreachable : EXIT_CODES.failure,
      })
    }
    if (error instanceof VerificationError) {
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
