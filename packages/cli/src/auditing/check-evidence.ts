import {
  EvidenceError,
  verifyEvidence,
  type HistoryEvidence,
} from '../../../client/src/history-evidence.ts'
import { VerificationError } from '../../../client/src/verification-error.ts'
import { type CommandOutput, EXIT_CODES, type ExitCode } from '../command/command.ts'
import { CommandFailure } from '../command/command-failure.ts'
import { readJsonFile } from '../verifying/saved-response.ts'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'

/** Checks a file of evidence offline and prints what it proves. Throws a CommandFailure if it proves nothing. */
export async function checkEvidence(
  file: string,
  pinnedKeyIds: readonly string[],
  json: boolean,
  output: CommandOutput,
): Promise<ExitCode> {
  const evidence = (await readJsonFile(file)) as HistoryEvidence
  try {
    const { fault, meaning } = await verifyEvidence(evidence, { pinnedKeyIds })
    if (json) output.out(JSON.stringify({ ok: true, fault, meaning }))
    else {
      output.out(`Proved: ${fault}, ${meaning}.`)
      output.out(`All ${evidence.responses.length} responses are signed by keys that you pinned.`)
    }
    return EXIT_CODES.done
  } catch (error) {
    if (error instanceof EvidenceError) {
      throw new CommandFailure('NO_EVIDENCE', `${file}: ${sanitizeForTerminal(error.message)}`)
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
