import { readFileSync } from 'node:fs'

import { messageOf } from '../contract/error-message.ts'
import { nearestName } from '../contract/nearest-name.ts'
import {
  type Command,
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
  quoteUnknown,
  runNamed,
  UsageError,
} from './command.ts'

/** The commands: one row and one file each. A file is loaded when its command is run, so that help stays quick. */
const COMMANDS: {
  readonly [name: string]: { readonly summary: string; load(): Promise<Command> }
} = {
  init: {
    summary: 'create a content folder to start from',
    load: async () => (await import('./init.ts')).initCommand,
  },
  check: {
    summary: 'check the content folder without publishing it',
    load: async () => (await import('./check.ts')).checkCommand,
  },
  diff: {
    summary: 'what publishing would change, or what changed between versions',
    load: async () => (await import('./diff.ts')).diffCommand,
  },
  publish: {
    summary: 'check the content folder and publish it as the next version',
    load: async () => (await import('./publish.ts')).publishCommand,
  },
  rollback: {
    summary: 'publish the content of an older version as the next version',
    load: async () => (await import('./rollback.ts')).rollbackCommand,
  },
  log: {
    summary: 'list the published versions',
    load: async () => (await import('./log.ts')).logCommand,
  },
  'verify-releases': {
    summary: 'check a releases folder from end to end',
    load: async () => (await import('./verify-releases.ts')).verifyReleasesCommand,
  },
  redact: {
    summary: 'remove one published resource for good',
    load: async () => (await import('./redact.ts')).redactCommand,
  },
  challenge: {
    summary: 'solve the human-verification challenge of a deployment',
    load: async () => (await import('./challenge.ts')).challengeCommand,
  },
  verify: {
    summary: 'check the signature of an answer, step by step',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  audit: {
    summary: 'audit the history of a deployment, or check evidence against it',
    load: async () => (await import('./audit.ts')).auditCommand,
  },
  doctor: {
    summary: 'inspect a deployment from outside, through its proxies and its CDN',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  waitlist: {
    summary: 'count, export, show, erase or expire registrations, or rotate their key',
    load: async () => (await import('./waitlist.ts')).waitlistCommand,
  },
  'copy-database': {
    summary: 'copy the waitlist and the API keys from SQLite to PostgreSQL',
    load: async () => (await import('./copy-database.ts')).copyDatabaseCommand,
  },
  'signing-key': {
    summary: 'create, announce, promote or retire the keys that sign responses',
    load: async () => (await import('./signing-key.ts')).signingKeyCommand,
  },
  backup: {
    summary: 'copy the embedded database to a file while the service runs',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  restore: {
    summary: 'replace the content of the embedded database with a backup',
    load: async () => (await import('./restore.ts')).restoreCommand,
  },
  keys: {
    summary: 'list, revoke, purge or issue API keys',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
}

function formatHelp(): string {
  const names = Object.keys(COMMANDS)
  const width = Math.max(...names.map((name) => name.length))
  const rows = names.map((name) => `  ${name.padEnd(width)}   ${COMMANDS[name]?.summary ?? ''}`)
  return `Usage: svc COMMAND [options]

Commands:
${rows.join('\n')}

Options:
  -h, --help    print this text; after a command, the command's own
  --version     print the version of the software

Exit code: 0 done, 1 a finding or a failure, 2 wrong usage, 3 not reached.`
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

async function runCommand(args: readonly string[], output: CommandOutput): Promise<ExitCode> {
  const [name, ...rest] = args
  if (name === '--help' || name === '-h' || (name === 'help' && rest.length === 0)) {
    output.out(formatHelp())
    return EXIT_CODES.done
  }
  if (name === '--version') {
    output.out(readVersion())
    return EXIT_CODES.done
  }
  if (name === undefined) throw new UsageError('no command was given; svc --help lists them')
  const row = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (row === undefined) {
    const nearest = nearestName(name, Object.keys(COMMANDS))
    const kind = name.startsWith('-') ? 'option' : 'command'
    throw new UsageError(
      `unknown ${kind}${quoteUnknown(name)}; ${
        nearest === undefined ? 'svc --help lists them' : `did you mean svc ${nearest}?`
      }`,
    )
  }
  return runNamed(name, await row.load(), rest, output)
}

/** A usage error as it is told: where it happened, and which help to ask. */
function formatUsageError({ command, message }: UsageError): string {
  if (command.length === 0) return message
  return `${command.join(': ')}: ${message} (svc ${command.join(' ')} --help tells the options)`
}

/** Runs `svc` with the arguments after its name. Reports a failure in one line on `error` and returns the exit code. */
export async function runProgram(
  args: readonly string[],
  output: CommandOutput,
): Promise<ExitCode> {
  try {
    return await runCommand(args, output)
  } catch (error) {
    const isUsage = error instanceof UsageError
    output.error(`svc: ${isUsage ? formatUsageError(error) : messageOf(error)}`)
    if (!isUsage && error instanceof Error && error.stack !== undefined) output.error(error.stack)
    return isUsage ? EXIT_CODES.usage : EXIT_CODES.failure
  }
}
