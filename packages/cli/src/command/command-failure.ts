import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'

/** More about a failure: `details` are lines for a person, `members` the same for `--json`. */
export interface FailureDetails {
  readonly details: readonly string[]
  readonly members: { readonly [name: string]: unknown }
}

const NO_DETAILS: FailureDetails = { details: [], members: {} }

/** A command could not do its work. The message is for a person and quotes no stored data. */
export class CommandFailure extends Error implements FailureDetails {
  /** For scripts. */
  readonly code: string
  readonly exitCode: ExitCode
  readonly details: readonly string[]
  readonly members: { readonly [name: string]: unknown }

  constructor(
    code: string,
    message: string,
    exitCode: ExitCode = EXIT_CODES.failure,
    { details, members }: FailureDetails = NO_DETAILS,
  ) {
    super(message)
    this.name = 'CommandFailure'
    this.code = code
    this.exitCode = exitCode
    this.details = details
    this.members = members
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
  const { code, message, exitCode, details, members } = error
  output.error(`svc ${name}: ${message}`)
  for (const detail of details) output.error(detail)
  if (json) output.out(JSON.stringify({ ok: false, code, message, ...members }))
  return exitCode
}
