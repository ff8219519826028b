#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { runProcess } from '@public-api/cli-kit/run-process'
import { runProgram } from '@public-api/cli-kit/run-program'
import { AUDITOR_COMMANDS, RENAMED } from './commands.ts'

/** Read from the manifest beside the built program. */
function readVersion(): string {
  const manifest = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { readonly version: string }
  return manifest.version
}

const PROGRAM = { commands: AUDITOR_COMMANDS, version: readVersion, renamed: RENAMED }

runProcess((args, output) => runProgram(PROGRAM, args, output))
