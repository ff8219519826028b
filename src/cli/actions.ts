import { nearestName } from '../contract/nearest-name.ts'
import {
  type Command,
  EXIT_CODES,
  quoteUnknown,
  runNamed,
  UsageError,
} from '../../packages/cli/src/command/command.ts'
import { type CommandTable, formatCommands } from '../../packages/cli/src/command/run-program.ts'

/** A command whose work is done by actions, such as `svc waitlist count`. */
export interface ActionsCommand {
  readonly name: string
  /** The text of its help before the actions. */
  readonly about: string
  /** One row and one file each, loaded when it is asked for. */
  readonly actions: CommandTable
}

function formatHelp({ name: command, about, actions }: ActionsCommand): string {
  return `Usage: svc ${command} ACTION [options]

${about}

Actions:
${formatCommands(actions)}

Each has --help of its own.

Exit code: 0 done, 1 a finding or a failure, 2 wrong usage.`
}

function formatUnknown(name: string, { name: command, actions }: ActionsCommand): string {
  const names = Object.keys(actions)
  const nearest = nearestName(name, names)
  const advice =
    nearest === undefined
      ? `expected one of ${names.join(', ')}`
      : `did you mean svc ${command} ${nearest}?`
  return `unknown action${quoteUnknown(name)}; ${advice}`
}

/** Creates a command that dispatches to its actions. */
export function createActionsCommand(parts: ActionsCommand): Command {
  const { actions } = parts
  const help = formatHelp(parts)
  return {
    help,
    async run(args, output, words, toFailure) {
      const [name, ...rest] = args
      if (name === '--help' || name === '-h' || name === 'help') {
        output.out(help)
        return EXIT_CODES.done
      }
      if (name === undefined) {
        throw new UsageError(`expected an action: ${Object.keys(actions).join(', ')}`)
      }
      const action = Object.hasOwn(actions, name) ? actions[name] : undefined
      if (action === undefined) throw new UsageError(formatUnknown(name, parts))
      const [, load] = action
      return runNamed(name, (await load()).command, rest, output, words, toFailure)
    },
  }
}
