import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

import { nearestName } from '../publishing/nearest-name.ts'

/** Exit codes of every command: done; a finding or a failure; wrong usage. */
export const EXIT_CODES = { done: 0, failure: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** Where a command writes. Results go to `out`; what went wrong goes to `error`, one clear line before any detail. */
export interface CommandOutput {
  out(line: string): void
  error(line: string): void
}

/** A command of the program. One file each, loaded only when it is run or asked for help. */
export interface Command {
  /** The whole answer to `--help`, without a line break at the end. */
  readonly help: string
  /** Runs with the arguments after the command's name. Throws a UsageError for wrong arguments. */
  run(args: readonly string[], output: CommandOutput): Promise<ExitCode>
}

/** The program was called in a way it does not know. The message is one line; the exit code is 2. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UsageError'
  }
}

const MISUSE_PREFIX = 'ERR_PARSE_ARGS_'

/**
 * `parseArgs` of node:util, strict, with its errors told as usage errors and an unknown option compared with the
 * known ones. Every command has `--help` (`-h`) besides the options it names.
 */
export function parseCommandArgs<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  allowPositionals = false,
) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } } as const,
      allowPositionals,
      strict: true,
    })
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    if (!String(error.code).startsWith(MISUSE_PREFIX)) throw error
    const unknown = /^Unknown option '(--?[^']+)'/.exec(error.message)?.[1]
    const nearest =
      unknown === undefined
        ? undefined
        : nearestName(
            unknown,
            [...Object.keys(options), 'help'].map((name) => `--${name}`),
          )
    if (nearest !== undefined) {
      throw new UsageError(`unknown option ${unknown}; did you mean ${nearest}?`)
    }
    // Only the first sentence: the rest is advice for the author of a program.
    throw new UsageError((error.message.split(/\.\s/)[0] ?? error.message).replace(/\.$/, ''))
  }
}
