import { EXIT_CODES, type CommandOutput, type ExitCode } from '@public-api/cli-kit/command'
import { formatErrorLine } from '@public-api/cli-kit/error-line'
import { formatJson } from '@public-api/cli-kit/format-json'
import { sanitizeForTerminal } from '../verifying/sanitize-for-terminal.ts'
import { writeEvidence, type AuditFinding } from './evidence-file.ts'

/** What the evidence of a finding consists of. Default: responses. */
const SIGNED: { readonly [code: string]: string } = {
  FORK: 'checkpoints',
  LAGGING: 'statements',
  WITHHELD: 'statements',
}

/** Where a finding goes. */
export interface FindingOutput {
  /** Where to write the evidence; undefined for a name of its code and time. */
  readonly evidenceFile: string | undefined
  readonly json: boolean
  /** Whether a file with this evidence may be left from an earlier run. Default: false. */
  readonly mayBeThere?: boolean
  /** Default: failure. */
  readonly exitCode?: ExitCode
}

/** Writes evidence to a file and reports it. Evidence that cannot be written is printed. */
export function printFinding(
  { code, message, evidence }: AuditFinding & Pick<Error, 'message'>,
  { evidenceFile, json, mayBeThere, exitCode = EXIT_CODES.failure }: FindingOutput,
  output: CommandOutput,
): ExitCode {
  const file = writeEvidence(evidenceFile, { code, evidence }, Date.now(), mayBeThere)
  output.error(formatErrorLine(sanitizeForTerminal(message, 400)))
  if (json) {
    output.out(
      formatJson({
        ok: false,
        code,
        message,
        evidenceFile: file ?? null,
        // Evidence that could not be written must not be lost.
        ...(file === undefined ? { evidence } : {}),
      }),
    )
  } else if (file === undefined) {
    output.error('The evidence could not be written to a file. It is on standard output; save it.')
    output.out(formatJson(evidence))
  } else {
    const signed = Object.hasOwn(SIGNED, code) ? SIGNED[code] : 'responses'
    const verb = exitCode === EXIT_CODES.failure ? 'prove' : 'show'
    output.out(`The signed ${signed} that ${verb} it are in ${file}. Keep that file.`)
  }
  return exitCode
}
