import { ConfigError } from '../config.ts'
import { AgeError } from '../crypto/age-file.ts'
import { StorageError } from '../storage/storage-error.ts'
import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'

/** What a failure says beside its line: `details` are more lines for a person, `members` the same for `--json`. */
export interface FailureDetails {
  readonly details: readonly string[]
  readonly members: { readonly [name: string]: unknown }
}

const NO_DETAILS: FailureDetails = { details: [], members: {} }

/** A command could not do its work. The message is for a person and holds nothing of what is kept. */
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

/** What went wrong in a way that can be named; undefined for a fault of the program. */
function failureOf(error: unknown): CommandFailure | undefined {
  if (error instanceof CommandFailure) return error
  if (error instanceof ConfigError) {
    const { message, mistakes } = error
    const more = { details: mistakes, members: { mistakes } }
    return new CommandFailure('CONFIGURATION', message, EXIT_CODES.failure, more)
  }
  if (error instanceof StorageError || error instanceof AgeError) {
    return new CommandFailure(error.code, error.message)
  }
  return undefined
}

/**
 * Tells a failure in one line and its details, for `--json` as one object too; `name` is what stands behind `svc`. Throws
 * what is a fault of the program.
 */
export function tellFailure(
  error: unknown,
  name: string,
  json: boolean,
  output: CommandOutput,
): ExitCode {
  const failure = failureOf(error)
  if (failure === undefined) throw error
  const { code, message, exitCode, details, members } = failure
  output.error(`svc ${name}: ${message}`)
  for (const detail of details) output.error(detail)
  if (json) output.out(JSON.stringify({ ok: false, code, message, ...members }))
  return exitCode
}
