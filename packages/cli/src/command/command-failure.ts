import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'

/** Details of a failure. */
export interface FailureDetails {
  /** Default: failure. */
  readonly exitCode?: ExitCode
  /** Further lines for people. */
  readonly details?: readonly string[]
  /** The same for `--json`. */
  readonly members?: { readonly [name: string]: unknown }
}

/** A command could not do its work. The message is for a person and quotes no stored data. */
export class CommandFailure extends Error {
  /** For scripts. */
  readonly code: string
  readonly more: FailureDetails

  constructor(code: string, message: string, more: FailureDetails = {}) {
    super(message)
    this.name = 'CommandFailure'
    this.code = code
    this.more = more
  }
}

/**
 * Prints a failure: its message on one line, then its details; for `--json` also one object on standard output. `name` is
 * the command as typed after the program's name. Throws every other error, which is a defect of the program.
 */
export function printFailure(
  error: unknown,
  name: string,
  json: boolean,
  output: CommandOutput,
): ExitCode {
  if (!(error instanceof CommandFailure)) throw error
  const { code, message, more } = error
  const { exitCode = EXIT_CODES.failure, details = [], members = {} } = more
  output.error(`svc ${name}: ${message}`)
  for (const detail of details) output.error(detail)
  if (json) output.out(JSON.stringify({ ok: false, code, message, ...members }))
  return exitCode
}
