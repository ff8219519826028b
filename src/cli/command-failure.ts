import { ConfigError } from '../config.ts'
import { SealError } from '../crypto/sealed-box.ts'
import { StorageError } from '../storage/storage.ts'
import { type CommandOutput, EXIT_CODES, type ExitCode } from './command.ts'

/** A command could not do its work. The message is for a person and holds nothing of what is kept. */
export class CommandFailure extends Error {
  /** For scripts. */
  readonly code: string
  readonly exitCode: ExitCode

  constructor(code: string, message: string, exitCode: ExitCode = EXIT_CODES.failure) {
    super(message)
    this.name = 'CommandFailure'
    this.code = code
    this.exitCode = exitCode
  }
}

/** What went wrong in a way that can be named: with a code, a line, and maybe more lines. */
function describe(
  error: unknown,
):
  | { readonly code: string; readonly message: string; readonly details: readonly string[] }
  | undefined {
  if (error instanceof ConfigError) {
    return { code: 'CONFIGURATION', message: error.message, details: error.mistakes }
  }
  if (
    error instanceof CommandFailure ||
    error instanceof StorageError ||
    error instanceof SealError
  ) {
    return { code: error.code, message: error.message, details: [] }
  }
  return undefined
}

/**
 * Runs the work of a command (`name` is what stands behind `svc`) and tells a failure in one line, for `--json` as one
 * object too.
 */
export async function tellingFailures(
  name: string,
  json: boolean,
  output: CommandOutput,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work()
  } catch (error) {
    const failure = describe(error)
    if (failure === undefined) throw error
    output.error(`svc ${name}: ${failure.message}`)
    for (const detail of failure.details) output.error(detail)
    const { code, message } = failure
    if (json) output.out(JSON.stringify({ ok: false, code, message }))
    return error instanceof CommandFailure ? error.exitCode : EXIT_CODES.failure
  }
}
