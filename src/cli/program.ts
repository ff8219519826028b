import { readFileSync } from 'node:fs'
import type { CommandOutput, CommandTable, ExitCode, ToFailure } from '@public-api/cli-kit/command'
import { createCompletionCommand } from '@public-api/cli-kit/completion'
import { runProgram } from '@public-api/cli-kit/run-program'
import { VERIFICATION_COMMANDS } from '@public-api/cli/src/commands.ts'
import { addServiceVariables } from './service-environment.ts'

/** The commands: one row and one file each. A file is loaded when its command is run, so that help stays quick. */
export const COMMANDS: CommandTable = {
  init: ['create a content folder to start from', () => import('./init.ts'), 'Content:'],
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
  discard: ['bring the content folder to what was last published', () => import('./discard.ts')],
  import: [
    'write content from another status page',
    () => import('./import/statuspage-command.ts'),
  ],
  translations: [
    'list missing and outdated translations, or confirm them',
    () => import('./translations.ts'),
  ],
  incident: [
    'open, update, resolve or list incidents',
    () => import('./incident.ts'),
    'Incidents:',
  ],
  maintenance: ['plan, start, complete or list maintenance', () => import('./maintenance.ts')],
  versions: ['list the published versions', () => import('./versions.ts'), 'History:'],
  show: ['show a published version or one of its resources', () => import('./show.ts')],
  rollback: [
    'publish the content of an older version as the next version',
    () => import('./rollback.ts'),
  ],
  find: ['find a text in all published versions', () => import('./find.ts')],
  redact: ['permanently remove one published resource', () => import('./redact.ts')],
  site: ['write a static copy of the service', () => import('./site.ts')],
  tlog: ['create, cosign and prove the transparency log', () => import('./tlog.ts')],
  ...VERIFICATION_COMMANDS,
  audit: ['audit the history of a service or a releases folder', () => import('./audit.ts')],
  doctor: [
    'inspect a service from outside, and the machine that it runs on',
    () => import('./doctor.ts'),
  ],
  waitlist: [
    'join, export, show, erase or expire registrations',
    () => import('./waitlist.ts'),
    'Waitlist:',
  ],
  'signing-key': [
    'create, announce, promote or retire the keys that sign responses',
    () => import('./signing-key.ts'),
    'Keys:',
  ],
  'api-keys': ['list, revoke or purge API keys', () => import('./api-keys.ts')],
  db: ['back up, restore, check or copy the database', () => import('./db.ts'), 'Operation:'],
  completion: [
    'print the completion script for bash or zsh',
    createCompletionCommand(() => COMMANDS),
  ],
}

/** Commands that have another name now. */
const RENAMED = {
  backup: 'db backup',
  restore: 'db restore',
  'check-database': 'db check',
  'copy-database': 'db copy',
  prove: 'tlog prove',
  log: 'versions',
  'verify-releases': 'audit DIR',
  challenge: 'waitlist join',
  keys: 'api-keys',
} as const

/** Loaded only after an error, so that help stays quick: it imports the configuration and the storage. */
const toFailure: ToFailure = async (error) =>
  (await import('./server-failure.ts')).serverFailureOf(error)

function readVersion(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { readonly version: string }).version
}

const PROGRAM = { commands: COMMANDS, version: readVersion, toFailure, renamed: RENAMED }

/** Acts on the checkout, and ignores the service of this machine. */
const CHECKOUT_OPTION = '--checkout'

/** Runs `svc` with the arguments after its name. Prints a failure on one line and returns the exit code. */
export function runCommandLine(given: readonly string[], output: CommandOutput): Promise<ExitCode> {
  const args = given.filter((each) => each !== CHECKOUT_OPTION)
  if (args.length < given.length) process.env['SVC_ENVIRONMENT_FILE'] = ''
  return runProgram({ ...PROGRAM, prepare: () => prepare(args, output) }, args, output)
}

/** Takes the settings of the service on this machine, and says so to a person. */
function prepare(args: readonly string[], output: CommandOutput): void {
  const note = addServiceVariables(process.env)
  if (note !== undefined && process.stderr.isTTY && !args.includes('--json')) output.error(note)
}
