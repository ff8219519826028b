#!/usr/bin/env node
import { readFileSync } from 'node:fs'

import { runProcess } from './command/run-process.ts'
import { type CommandTable, runProgram } from './command/run-program.ts'

const COMMANDS: CommandTable = {
  verify: {
    summary: 'check the signature of a response, step by step',
    load: async () => (await import('./verify-command.ts')).verifyCommand,
  },
  audit: {
    summary: 'audit the history of a deployment, or check evidence against it',
    load: async () => (await import('./audit-command.ts')).auditCommand,
  },
  doctor: {
    summary: 'inspect a deployment from outside, through its proxies and its CDN',
    load: async () => (await import('./doctor-command.ts')).doctorCommand,
  },
}

/** Read from the manifest beside the built program. */
function readVersion(): string {
  const manifest = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  return manifest.version
}

const PROGRAM = { commands: COMMANDS, version: readVersion }

await runProcess((args, output) => runProgram(PROGRAM, args, output))
