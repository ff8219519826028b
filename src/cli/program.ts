import { readFileSync } from 'node:fs'

import type { CommandOutput, ExitCode, ToFailure } from '../../packages/cli/src/command/command.ts'
import {
  type CommandTable,
  runProgram as runCommands,
} from '../../packages/cli/src/command/run-program.ts'

/** The commands: one row and one file each. A file is loaded when its command is run, so that help stays quick. */
const COMMANDS: CommandTable = {
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
    summary: 'permanently remove one published resource',
    load: async () => (await import('./redact.ts')).redactCommand,
  },
  challenge: {
    summary: 'solve the human-verification challenge of a deployment',
    load: async () => (await import('./challenge.ts')).challengeCommand,
  },
  verify: {
    summary: 'check the signature of a response, step by step',
    load: async () => (await import('../../packages/cli/src/verify-command.ts')).verifyCommand,
  },
  audit: {
    summary: 'audit the history of a deployment, or check evidence against it',
    load: async () => (await import('../../packages/cli/src/audit-command.ts')).auditCommand,
  },
  doctor: {
    summary: 'inspect a deployment from outside, through its proxies and its CDN',
    load: async () => (await import('../../packages/cli/src/doctor-command.ts')).doctorCommand,
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

/** Loaded only after an error, so that help stays quick: it imports the configuration and the storage. */
const toFailure: ToFailure = async (error) =>
  (await import('./server-failure.ts')).serverFailureOf(error)

function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : 'unknown'
}

const PROGRAM = { commands: COMMANDS, version: readVersion, toFailure }

/** Runs `svc` with the arguments after its name. Prints a failure on one line and returns the exit code. */
export function runProgram(args: readonly string[], output: CommandOutput): Promise<ExitCode> {
  return runCommands(PROGRAM, args, output)
}
