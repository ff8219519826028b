import { messageOf } from '@public-api/contract/errors/error-message'
import { nearestName } from '@public-api/contract/text/nearest-name'
import {
  type Command,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  quoteUnknown,
  runNamed,
  type ToFailure,
  UsageError,
} from './command.ts'
import { formatErrorLine } from './error-line.ts'

/** Commands by name: the summary, and the command or its module, which is loaded only when the command runs. */
export interface CommandTable {
  readonly [name: string]: readonly [
    summary: string,
    command: Command | (() => Promise<{ readonly command: Command }>),
  ]
}

/** Commands of which the first argument chooses one. */
export interface CommandChoice {
  readonly commands: CommandTable
  readonly help: string
  /** What precedes the name of a command, such as `svc keys`. */
  readonly prefix: string
  /** What the commands are called, such as `action`. */
  readonly kind: string
  /** The message for a missing name. */
  readonly missing: string
  /** What the message for an unknown name expects if no name is similar. */
  readonly expected?: string
}

/** Runs the command that the first argument names. Rejects with a UsageError for a missing or unknown name. */
export async function runChosen(
  { commands, help, prefix, kind, missing, expected }: CommandChoice,
  ...[args, output, toFailure]: Parameters<Command['run']>
): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    output.out(help)
    return EXIT_CODES.done
  }
  if (name === undefined) throw new UsageError(missing)
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (row === undefined) {
    const nearest = nearestName(name, Object.keys(commands))
    const unknown = `unknown ${name.startsWith('-') ? 'option' : kind}${quoteUnknown(name)}`
    const advice = nearest === undefined ? expected : `did you mean ${prefix} ${nearest}?`
    throw new UsageError(advice === undefined ? unknown : `${unknown}; ${advice}`)
  }
  const [, entry] = row
  const command = typeof entry === 'function' ? (await entry()).command : entry
  return runNamed(name, command, rest, output, toFailure)
}

/** A program called `svc` with these commands. */
export interface Program {
  readonly commands: CommandTable
  /** Reads the version that `--version` prints. */
  readonly version: () => string
  readonly toFailure?: ToFailure
}

/** The names of commands with their summaries, one line each. */
export function formatCommands(commands: CommandTable): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  return Object.entries(commands)
    .map(([name, [summary]]) => `  ${name.padEnd(width)}   ${summary}`)
    .join('\n')
}

function formatHelp(commands: CommandTable): string {
  return `Usage: svc COMMAND [options]

Commands:
${formatCommands(commands)}

Options:
  -h, --help    print this text; after a command, the help of the command
  --version     print the version of the software

Exit code: 0 done, 1 a finding or a failure, 2 wrong usage, 3 no conclusion.`
}

/** Runs a program with the arguments after its name. Prints a failure on one line and returns the exit code. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  output: CommandOutput,
): Promise<ExitCode> {
  const { commands, version, toFailure } = program
  try {
    if (args[0] === '--version') {
      output.out(version())
      return EXIT_CODES.done
    }
    const choice = {
      commands,
      help: formatHelp(commands),
      prefix: 'svc',
      kind: 'command',
      missing: 'expected a command',
    }
    return await runChosen(choice, args, output, toFailure)
  } catch (error) {
    if (error instanceof UsageError) {
      output.error(formatErrorLine(error.message, ['svc', ...error.command].join(' ')))
      return EXIT_CODES.usage
    }
    output.error(formatErrorLine(messageOf(error)))
    if (error instanceof Error && error.stack !== undefined) output.error(error.stack)
    return EXIT_CODES.failure
  }
}
