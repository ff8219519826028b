import { nearestName } from '../publishing/nearest-name.ts'
import { type Command, EXIT_CODES, UsageError } from './command.ts'

/** What can be done with the waitlist: one row and one file each, loaded when it is asked for. */
const ACTIONS: {
  readonly [name: string]: { readonly summary: string; load(): Promise<Command> }
} = {
  count: {
    summary: 'how many are registered; needs no secret',
    load: async () => (await import('./waitlist/count.ts')).countCommand,
  },
  export: {
    summary: 'open the registrations with the identity and write them out',
    load: async () => (await import('./waitlist/export.ts')).exportCommand,
  },
  erase: {
    summary: 'take an address off the list',
    load: async () => (await import('./waitlist/erase.ts')).eraseCommand,
  },
  'rotate-recipient': {
    summary: 'seal all registrations to another recipient',
    load: async () => (await import('./waitlist/rotate-recipient.ts')).rotateRecipientCommand,
  },
  copy: {
    summary: 'copy the database while the service runs',
    load: async () => (await import('./waitlist/copy.ts')).copyCommand,
  },
}

function formatHelp(): string {
  const width = Math.max(...Object.keys(ACTIONS).map((name) => name.length))
  const rows = Object.entries(ACTIONS).map(
    ([name, { summary }]) => `  ${name.padEnd(width)}   ${summary}`,
  )
  return `Usage: svc waitlist ACTION [options]

Works on the early-access waitlist, whose rows are sealed: only "export" and
"rotate-recipient" open them, with an identity that need not be on the server.

Actions:
${rows.join('\n')}

Each has --help of its own.

Exit code: 0 done, 1 a finding or a failure, 2 wrong usage.`
}

/** `svc waitlist`: gives the word to one of its actions. */
export const waitlistCommand: Command = {
  help: formatHelp(),
  async run(args, output) {
    const [name, ...rest] = args
    if (name === '--help' || name === '-h' || name === 'help') {
      output.out(formatHelp())
      return EXIT_CODES.done
    }
    const names = Object.keys(ACTIONS).join(', ')
    if (name === undefined) throw new UsageError(`expected an action: ${names}`)
    const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined
    if (action === undefined) {
      const nearest = nearestName(name, Object.keys(ACTIONS))
      throw new UsageError(
        `unknown action ${JSON.stringify(name)}; ${nearest === undefined ? `expected one of ${names}` : `did you mean svc waitlist ${nearest}?`}`,
      )
    }
    const command = await action.load()
    try {
      return await command.run(rest, output)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      throw new UsageError(`${name}: ${error.message}`)
    }
  },
}
