import { readFileSync } from 'node:fs'
import type { CommandOutput, CommandTable, ExitCode, ToFailure } from '@public-api/cli-kit/command'
import { COMPLETION_SUMMARY, createCompletionCommand } from '@public-api/cli-kit/completion'
import { runProgram as runCommands } from '@public-api/cli-kit/run-program'
import { COMMANDS as AUDITOR_COMMANDS } from '@public-api/cli/src/commands.ts'

/** The commands: one row and one file each. A file is loaded when its command is run, so that help stays quick. */
export const COMMANDS: CommandTable = {
  init: ['create a content folder to start from', () => import('./init.ts')],
  check: ['check the content folder without publishing it', () => import('./check.ts')],
  preview: ['serve the content folder on this machine as a draft', () => import('./preview.ts')],
  diff: [
    'what publishing would change, or what changed between versions',
    () => import('./diff.ts'),
  ],
  publish: [
    'check the content folder and publish it as the next version',
    () => import('./publish.ts'),
  ],
  import: ['write content from another status page, for review', () => import('./import.ts')],
  incident: ['open, update, resolve or list incidents', () => import('./incident.ts')],
  maintenance: [
    'schedule, reschedule, start, complete, cancel or list maintenance',
    () => import('./maintenance.ts'),
  ],
  rollback: [
    'publish the content of an older version as the next version',
    () => import('./rollback.ts'),
  ],
  log: ['list the published versions', () => import('./log.ts')],
  'verify-releases': [
    'check a releases folder from end to end',
    () => import('./verify-releases.ts'),
  ],
  find: ['find a text in all published versions', () => import('./find.ts')],
  translations: [
    'list missing and outdated translations, or confirm them',
    () => import('./translations.ts'),
  ],
  redact: ['permanently remove one published resource', () => import('./redact.ts')],
  challenge: [
    'solve the human-verification challenge of a deployment',
    () => import('./challenge.ts'),
  ],
  ...AUDITOR_COMMANDS,
  waitlist: [
    'count, export, show, erase or expire registrations, or rotate their key',
    () => import('./waitlist.ts'),
  ],
  'copy-database': [
    'copy the waitlist and the API keys from SQLite to PostgreSQL',
    () => import('./copy-database.ts'),
  ],
  'signing-key': [
    'create, announce, promote or retire the keys that sign responses',
    () => import('./signing-key.ts'),
  ],
  'check-database': [
    'check every page of the embedded database',
    () => import('./check-database.ts'),
  ],
  backup: [
    'copy the embedded database to a file while the service runs',
    () => import('./backup.ts'),
  ],
  restore: [
    'replace the content of the embedded database with a backup',
    () => import('./restore.ts'),
  ],
  tlog: ['create and cosign the transparency log of the releases', () => import('./tlog.ts')],
  keys: ['list, revoke, purge or issue API keys', () => import('./keys.ts')],
  completion: [COMPLETION_SUMMARY, createCompletionCommand(() => COMMANDS)],
}

/** Loaded only after an error, so that help stays quick: it imports the configuration and the storage. */
const toFailure: ToFailure = async (error) =>
  (await import('./server-failure.ts')).serverFailureOf(error)

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

const PROGRAM = { commands: COMMANDS, version: readVersion, toFailure }

/** Runs `svc` with the arguments after its name. Prints a failure on one line and returns the exit code. */
export function runProgram(args: readonly string[], output: CommandOutput): Promise<ExitCode> {
  return runCommands(PROGRAM, args, output)
}
