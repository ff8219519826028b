import { messageOf } from '../../../../src/contract/error-message.ts'
import { nearestName } from '../../../../src/contract/nearest-name.ts'
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

/** Commands by name: the summary and the module, which is loaded only when the command runs, so that help is fast. */
export interface CommandTable {
  readonly [name: string]: readonly [string, () => Promise<{ readonly command: Command }>]
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

async function runCommand(
  { commands, version, toFailure }: Program,
  args: readonly string[],
  output: CommandOutput,
): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    output.out(formatHelp(commands))
    return EXIT_CODES.done
  }
  if (name === '--version') {
    output.out(version())
    return EXIT_CODES.done
  }
  if (name === undefined) throw new UsageError('no command was given; svc --help lists them')
  const row = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (row === undefined) {
    const nearest = nearestName(name, Object.keys(commands))
    const kind = name.startsWith('-') ? 'option' : 'command'
    throw new UsageError(
      `unknown ${kind}${quoteUnknown(name)}; ${
        nearest === undefined ? 'svc --help lists them' : `did you mean svc ${nearest}?`
      }`,
    )
  }
  const [, load] = row
  return runNamed(name, (await load()).command, rest, output, [], toFailure)
}

/** A usage error with the command it concerns and the help to read. */
function formatUsageError({ command, message }: UsageError): string {
  if (command.length === 0) return message
  return `${command.join(': ')}: ${message} (svc ${command.join(' ')} --help lists the options)`
}

/** Runs a program with the arguments after its name. Prints a failure on one line and returns the exit code. */
export async function runProgram(
  program: Program,
  args: readonly string[],
  output: CommandOutput,
): Promise<ExitCode> {
  try {
    return await runCommand(program, args, output)
  } catch (error) {
    const isUsage = error instanceof UsageError
    output.error(`svc: ${isUsage ? formatUsageError(error) : messageOf(error)}`)
    if (!isUsage && error instanceof Error && error.stack !== undefined) output.error(error.stack)
    return isUsage ? EXIT_CODES.usage : EXIT_CODES.failure
  }
}
