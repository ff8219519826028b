import type { Command } from '@public-api/cli-kit/command'
import { type CommandTable, formatCommands, runChosen } from '@public-api/cli-kit/run-program'

/** A command whose work is done by actions, such as `svc waitlist count`. `about` precedes the actions in its help. */
export function createActionsCommand(name: string, about: string, actions: CommandTable): Command {
  const help = `Usage: svc ${name} ACTION [options]

${about}

Actions:
${formatCommands(actions)}

Run 'svc ${name} ACTION --help' for the options of an action.

Exit code: 0 done, 1 a finding or a failure, 2 wrong usage.`
  const names = Object.keys(actions).join(', ')
  const choice = {
    commands: actions,
    help,
    prefix: `svc ${name}`,
    kind: 'action',
    missing: `expected an action: ${names}`,
    expected: `expected one of ${names}`,
  }
  return { help, actions, run: (...call) => runChosen(choice, ...call) }
}
