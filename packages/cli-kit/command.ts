import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { suggestName } from '@public-api/contract/text/nearest-name'
import { formatErrorLine } from './error-line.ts'
import { formatJson } from './format-json.ts'
import { type CommandHelp, type CommandOption, formatHelp } from './options.ts'
import type { CommandTable } from './run-program.ts'
import { looksLikeApiKey } from './whole-key.ts'

/** Exit codes of every command: done; a finding or a failure; wrong usage; no response arrived, so nothing is known. */
export const EXIT_CODES = { done: 0, failure: 1, usage: 2, unreachable: 3 } as const

export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES]

/** Where a command writes: results to `out`; errors to `error`, one line before any details. */
export interface CommandOutput {
  out(line: string): void
  error(line: string): void
}

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
 * Prints a failure: its message on one line, then its details; for `--json` also one object on standard output. Throws
 * every other error, which is a defect of the program.
 */
function printFailure(error: unknown, json: boolean, output: CommandOutput): ExitCode {
  if (!(error instanceof CommandFailure)) throw error
  const { code, message, more } = error
  const { exitCode = EXIT_CODES.failure, details = [], members = {} } = more
  output.error(formatErrorLine(message))
  for (const detail of details) output.error(detail)
  if (json) output.out(formatJson({ ok: false, code, message, ...members }))
  return exitCode
}

/** Turns an expected error of the program into a CommandFailure, or returns undefined for a defect. */
export type ToFailure = (error: unknown) => Promise<CommandFailure | undefined>

/** A command of the program, in its own file, loaded only when it runs or prints help. */
export interface Command {
  /** The whole output of `--help`, without a line break at the end. */
  readonly help: string
  /** For the completion: the ways to call it, its options, and its actions. */
  readonly usage?: string | readonly string[]
  readonly options?: { readonly [name: string]: CommandOption }
  readonly actions?: CommandTable
  /**
   * Runs with the arguments after the command's name. `toFailure` turns errors that this package does not know into a
   * CommandFailure. Throws a UsageError for wrong arguments.
   */
  run(args: readonly string[], output: CommandOutput, toFailure?: ToFailure): Promise<ExitCode>
}

/** Wrong usage of the program. The message is one line; the exit code is 2. */
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
 * Runs a command, and adds its name to a usage error. `name` is the word that the command was called by.
 */
export async function runNamed(
  name: string,
  command: Command,
  args: readonly string[],
  output: CommandOutput,
  toFailure?: ToFailure,
): Promise<ExitCode> {
  try {
    return await command.run(args, output, toFailure)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(error.message, [name, ...error.command])
  }
}

/** Longer than any name of a command or an option. */
const MAX_REPEATED = 30

/** Whether a word may be quoted in a message. A word pasted by mistake may be a secret, and messages may be logged. */
function isRepeatable(word: string): boolean {
  return word.length <= MAX_REPEATED && !looksLikeApiKey(word)
}

/** An unknown name in quotes, with a space before it; empty if it must not be quoted. */
export function quoteUnknown(name: string): string {
  return isRepeatable(name) ? ` ${JSON.stringify(name)}` : ''
}

const MISUSE_PREFIX = 'ERR_PARSE_ARGS_'

function formatUnknownOption(name: string, known: readonly string[]): string {
  const options = known.map((each) => `--${each}`)
  return `unknown option${isRepeatable(name) ? ` ${name}` : ''}${suggestName(name, options)}`
}

/** The usage error in arguments, from the error of `parseArgs`; undefined for other errors. */
function formatMisuse(error: unknown, known: readonly string[]): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  const code = String(error.code)
  if (!code.startsWith(MISUSE_PREFIX)) return undefined
  switch (code.slice(MISUSE_PREFIX.length)) {
    case 'UNEXPECTED_POSITIONAL':
      // Never repeated: it may be a key, an identity or an email address.
      return 'expected options only, found an argument'
    case 'UNKNOWN_OPTION':
      return formatUnknownOption(
        /^Unknown option '(--?[^']+)'/.exec(error.message)?.[1] ?? '',
        known,
      )
    default:
      // A known option with a wrong value. The first sentence is enough; the rest is advice for programmers.
      return (error.message.split(/\.\s/)[0] ?? error.message).replace(/\.$/, '')
  }
}

/** A key ID (43 characters of base64url) that starts with a dash, or with two. No option is as long. */
const DASHED_KEY_ID = /^-[\w-]{42}$/

/**
 * Joins an option and its value if the value starts with a dash, which `parseArgs` takes for another option: a key ID is
 * base64url and may start with dashes.
 */
export function joinDashedValues(
  args: readonly string[],
  options: ParseArgsOptionsConfig,
): readonly string[] {
  const joined: string[] = []
  const rest = [...args]
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') return [...joined, arg, ...rest]
    const next = rest[0] ?? ''
    const isDashed = DASHED_KEY_ID.test(next) || (/^-[^-]/.test(next) && next !== '-h')
    const takesValue = arg.startsWith('--') && options[arg.slice(2)]?.type === 'string'
    joined.push(takesValue && isDashed ? `${arg}=${rest.shift()}` : arg)
  }
  return joined
}

/** The options of every command. */
const COMMON_OPTIONS = {
  json: { type: 'boolean', default: false, about: 'print one JSON object' },
  help: { type: 'boolean', short: 'h', about: 'print the help' },
} as const

/** `parseArgs` of node:util, strict, with usage errors and suggestions for unknown options. */
function parseCommandArgs<const T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  allowPositionals: boolean,
) {
  try {
    return parseArgs({
      args: [...joinDashedValues(args, options)],
      options: { ...options, ...COMMON_OPTIONS } as const,
      allowPositionals,
      strict: true,
    })
  } catch (error) {
    const misuse = formatMisuse(error, Object.keys({ ...options, ...COMMON_OPTIONS }))
    if (misuse === undefined) throw error
    throw new UsageError(misuse)
  }
}

type CommandOptions = ParseArgsOptionsConfig & { readonly [name: string]: CommandOption }

/** The result of a command. */
export interface CommandResult {
  /** The members of the object that `--json` prints. `ok` is true unless they state it. */
  readonly json: object
  /** The same for people. */
  readonly lines: readonly string[]
  /** Lines for people on standard error: what was found to be wrong. */
  readonly errors?: readonly string[]
  /** Default: done. */
  readonly exitCode?: ExitCode
}

/** Options of a command. */
export interface CommandDefinition<Options extends CommandOptions> extends CommandHelp {
  /** Its own options besides `--json` and `--help`. */
  readonly options: Options
  /** Whether positional arguments are accepted. Default: false. */
  readonly takesArguments?: boolean
  /** Whether `--json` also prints failures on standard output. Default: true. False if rows are printed there. */
  readonly printsFailuresAsJson?: boolean
  /** Runs the command with valid arguments. Returns the exit code if it prints its results itself. */
  readonly run: (
    parsed: ReturnType<typeof parseCommandArgs<Options>>,
    output: CommandOutput,
  ) => Promise<CommandResult | ExitCode>
}

/**
 * Creates a command that prints its help for `--help`, its result as lines or as an object with `--json`, and a failure
 * in one line, and as an object with `--json`.
 */
export function createCommand<const Options extends CommandOptions>({
  options,
  takesArguments = false,
  printsFailuresAsJson = true,
  run,
  ...about
}: CommandDefinition<Options>): Command {
  const help = formatHelp(about, options)
  return {
    help,
    usage: about.usage,
    options: { ...options, ...COMMON_OPTIONS },
    async run(args, output, toFailure) {
      const parsed = parseCommandArgs(args, options, takesArguments)
      // `in` checks because the generic options type does not include the common options.
      if ('help' in parsed.values) {
        output.out(help)
        return EXIT_CODES.done
      }
      const isJson = 'json' in parsed.values && parsed.values.json === true
      try {
        const result = await run(parsed, output)
        if (typeof result === 'number') return result
        const { json, lines, errors = [], exitCode = EXIT_CODES.done } = result
        if (isJson) output.out(formatJson({ ok: true, ...json }))
        else {
          for (const line of lines) output.out(line)
          for (const line of errors) output.error(line)
        }
        return exitCode
      } catch (error) {
        if (error instanceof UsageError) throw error
        const failure = (await toFailure?.(error)) ?? error
        return printFailure(failure, printsFailuresAsJson && isJson, output)
      }
    },
  }
}
