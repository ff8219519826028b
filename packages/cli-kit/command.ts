import { formatErrorLine } from './error-line.ts'
import { formatJson } from './format-json.ts'
import type { CommandOption, CommandOptions, OptionValues } from './options.ts'

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

/** Wrong usage of the program. The message is one line; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Turns an expected error of the program into a CommandFailure, or returns undefined for a defect. */
export type ToFailure = (error: unknown) => Promise<CommandFailure | undefined>

/** A command of the program, or its module, which is loaded only when the command runs or prints its help. */
export type CommandEntry =
  | Command
  | CommandGroup
  | (() => Promise<{ readonly command: Command | CommandGroup }>)

/** Commands by name: the summary and the command, and the heading of its group in the list, if it starts one. */
export interface CommandTable {
  readonly [name: string]: readonly [summary: string, command: CommandEntry, group?: string]
}

/** What the help of a command says. */
interface CommandHelp {
  /** One line for each way to call it, after `svc`. */
  readonly usage: string | readonly string[]
  /** What it does, in lines of at most 80 characters. */
  readonly about: string
  /** What `--json` does, if the result is more than one object. */
  readonly json?: string
  /** Exit codes; default: `0 done, 1 failure, 2 wrong usage`. */
  readonly exit?: string
}

/** The options of every command. */
const COMMON_OPTIONS = {
  json: { type: 'boolean', about: 'print the result as one JSON object' },
} as const

/** The arguments of a command, parsed. */
interface ParsedArguments<Options extends CommandOptions> {
  readonly values: OptionValues<Options & typeof COMMON_OPTIONS>
  readonly positionals: readonly string[]
}

/** The result of a command. */
export interface CommandResult {
  /** The members of the object that `--json` prints. `ok` is true unless they state it. */
  readonly json: object
  /** The same for people. What is undefined or false is left out. Warnings go to standard error, after the others. */
  readonly lines: readonly (string | undefined | false)[]
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
    parsed: ParsedArguments<Options>,
    output: CommandOutput,
  ) => Promise<CommandResult | ExitCode>
}

/** A command of the program, in its own file. */
export interface Command extends CommandHelp {
  readonly options: CommandOptions
  readonly takesArguments: boolean
  /**
   * Runs with parsed arguments. Prints the result as lines or as an object with `--json`, and a failure in one line, and
   * as an object with `--json`. Rejects with a UsageError for wrong arguments, and with an error that `toFailure` does not
   * know.
   */
  run(
    parsed: { readonly values: object; readonly positionals: readonly string[] },
    output: CommandOutput,
    toFailure?: ToFailure,
  ): Promise<ExitCode>
}

/** The failure of a system call or of SQLite, such as a full disk or a missing permission; undefined for any other error. */
function systemFailureOf(error: unknown): CommandFailure | undefined {
  const isSystem =
    error instanceof Error && 'code' in error && ('syscall' in error || 'errcode' in error)
  return isSystem ? new CommandFailure(String(error.code), error.message) : undefined
}

/** The value of an option as it parses texts. Throws a UsageError. */
function parsedValue(name: string, option: CommandOption | undefined, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => parsedValue(name, option, each))
  return typeof value === 'string' ? (option?.parse?.(`--${name}`, value) ?? value) : value
}

const isWarning = (line: string): boolean => line.startsWith('Warning: ')

/** Creates a command from its definition. */
export function createCommand<const Options extends CommandOptions>({
  options,
  takesArguments = false,
  printsFailuresAsJson = true,
  run,
  ...about
}: CommandDefinition<Options>): Command {
  const json = { ...COMMON_OPTIONS.json, about: about.json ?? COMMON_OPTIONS.json.about }
  return {
    ...about,
    options: { ...options, json },
    takesArguments,
    async run(parsed, output, toFailure) {
      const isJson = 'json' in parsed.values && parsed.values.json === true
      try {
        const values = Object.entries(parsed.values).map(([name, value]) => [
          name,
          parsedValue(name, options[name], value),
        ])
        // The program parses the arguments by these options.
        const typed = { ...parsed, values: Object.fromEntries(values) } as ParsedArguments<Options>
        const result = await run(typed, output)
        if (typeof result === 'number') return result
        const { json: members, lines, errors = [], exitCode = EXIT_CODES.done } = result
        if (isJson) output.out(formatJson({ ok: true, ...members }))
        else {
          const shown = lines.filter((line) => typeof line === 'string')
          for (const line of shown) if (!isWarning(line)) output.out(line)
          for (const line of [...shown.filter(isWarning), ...errors]) output.error(line)
        }
        return exitCode
      } catch (error) {
        if (error instanceof UsageError) throw error
        const failure = (await toFailure?.(error)) ?? systemFailureOf(error) ?? error
        return printFailure(failure, printsFailuresAsJson && isJson, output)
      }
    },
  }
}

/** Commands of which the first argument chooses one, such as the actions of `svc waitlist`. */
export interface CommandGroup {
  readonly usage: string
  readonly about: string
  readonly actions: CommandTable
  /** Throws a UsageError for arguments that must be refused before any is parsed. */
  readonly checkArguments?: (args: readonly string[]) => void
}

/** Creates a group of commands. `about` precedes the actions in its help. */
export function createGroup(name: string, about: string, actions: CommandTable): CommandGroup {
  return { usage: `${name} ACTION [options]`, about, actions }
}
