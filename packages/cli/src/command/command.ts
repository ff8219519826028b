import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

import { nearestName } from '../../../../src/contract/nearest-name.ts'
import { type CommandFailure, printFailure } from './command-failure.ts'
import { looksLikeApiKey } from './whole-key.ts'

/** Exit codes of every command: done; a finding or a failure; wrong usage; no response arrived, so nothing is known. */
export const EXIT_CODES = { done: 0, failure: 1, usage: 2, unreachable: 3 } as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** Where a command writes. Results go to `out`; what went wrong goes to `error`, one clear line before any detail. */
export interface CommandOutput {
  out(line: string): void
  error(line: string): void
}

/** Turns an expected error of the program into a CommandFailure, or returns undefined for a defect. */
export type ToFailure = (error: unknown) => Promise<CommandFailure | undefined>

/** A command of the program. One file each, loaded only when it is run or asked for help. */
export interface Command {
  /** The whole output of `--help`, without a line break at the end. */
  readonly help: string
  /**
   * Runs with the arguments after the command's name. `words` is the command as typed, for messages. `toFailure` turns
   * errors that this package does not know into a CommandFailure. Throws a UsageError for wrong arguments.
   */
  run(
    args: readonly string[],
    output: CommandOutput,
    words: readonly string[],
    toFailure?: ToFailure,
  ): Promise<ExitCode>
}

/** The program was called in a way it does not know. The message is one line; the exit code is 2. */
export class UsageError extends Error {
  /** The words after `svc` whose help describes the usage. Empty while no command is known. */
  readonly command: readonly string[]

  constructor(message: string, command: readonly string[] = []) {
    super(message)
    this.name = 'UsageError'
    this.command = command
  }
}

/**
 * Runs a command, and adds its name to a usage error. `name` is the word that the command was called by,
 * `words` those before it.
 */
export async function runNamed(
  name: string,
  command: Command,
  args: readonly string[],
  output: CommandOutput,
  words: readonly string[] = [],
  toFailure?: ToFailure,
): Promise<ExitCode> {
  try {
    return await command.run(args, output, [...words, name], toFailure)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, [name, ...error.command])
  }
}

/** Longer than any name of a command or an option. */
const MAX_REPEATED = 30

/** Whether a word may be repeated in a message. A word pasted by mistake may be a secret, and messages end in logs. */
function isRepeatable(word: string): boolean {
  return word.length <= MAX_REPEATED && !looksLikeApiKey(word)
}

/** A name that nothing has, in quotes, with a space before it; nothing for what must not be repeated. */
export function quoteUnknown(name: string): string {
  return isRepeatable(name) ? ` ${JSON.stringify(name)}` : ''
}

const MISUSE_PREFIX = 'ERR_PARSE_ARGS_'

function formatUnknownOption(name: string, known: readonly string[]): string {
  const nearest = nearestName(
    name,
    known.map((each) => `--${each}`),
  )
  const repeated = isRepeatable(name) ? ` ${name}` : ''
  return `unknown option${repeated}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`
}

/** What is wrong with arguments, from the error of `parseArgs`; undefined for any other error. */
function formatMisuse(error: unknown, known: readonly string[]): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (!code.startsWith(MISUSE_PREFIX)) return undefined
  switch (code.slice(MISUSE_PREFIX.length)) {
    case 'UNEXPECTED_POSITIONAL':
      // Never repeated: it may be a key, an identity or somebody's address.
      return 'expected options only, found an argument'
    case 'UNKNOWN_OPTION':
      return formatUnknownOption(
        /^Unknown option '(--?[^']+)'/.exec(error.message)?.[1] ?? '',
        known,
      )
    default:
      // It names an option that is known. Only the first sentence: the rest is advice for the author of a program.
      return (error.message.split(/\.\s/)[0] ?? error.message).replace(/\.$/, '')
  }
}

/**
 * `parseArgs` of node:util, strict, with its errors as usage errors and an unknown option compared with the
 * known ones. `--help` (`-h`) is known besides the options that are named.
 */
function parseCommandArgs<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({
      args: [...args],
      options: { ...options, help: { type: 'boolean', short: 'h' } } as const,
      allowPositionals,
      strict: true,
    })
  } catch (error) {
    const misuse = formatMisuse(error, [...Object.keys(options), 'help'])
    if (misuse === undefined) throw error
    throw new UsageError(misuse)
  }
}

/** What a command with options is made from. */
export interface CommandDefinition<Options extends ParseArgsOptionsConfig> {
  readonly help: string
  /** All but `--help`, as node:util's `parseArgs` knows them. */
  readonly options: Options
  /** Whether positional arguments are accepted. Default: false. */
  readonly takesArguments?: boolean
  /** Whether `--json` also prints failures on standard output. Default: true. False if rows are printed there. */
  readonly printsFailuresAsJson?: boolean
  /** Does the work, once the arguments are known to be in order. */
  readonly run: (
    parsed: ReturnType<typeof parseCommandArgs<Options>>,
    output: CommandOutput,
  ) => Promise<ExitCode>
}

/**
 * Makes a command that prints its help for `--help`, unless something else in its arguments is wrong, and that reports
 * what it could not do in one line, for `--json` as one object too.
 */
export function createCommand<const Options extends ParseArgsOptionsConfig>({
  help,
  options,
  takesArguments = false,
  printsFailuresAsJson = true,
  run,
}: CommandDefinition<Options>): Command {
  return {
    help,
    async run(args, output, words, toFailure) {
      const parsed = parseCommandArgs(args, options, takesArguments)
      // `in` check because the generic options type does not include `help`.
      if ('help' in parsed.values) {
        output.out(help)
        return EXIT_CODES.done
      }
      try {
        return await run(parsed, output)
      } catch (error) {
        if (error instanceof UsageError) throw error
        const json = printsFailuresAsJson && 'json' in parsed.values && parsed.values.json === true
        return printFailure((await toFailure?.(error)) ?? error, words.join(' '), json, output)
      }
    },
  }
}
