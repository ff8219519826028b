import { ConfigError } from '../config.ts'
import { checkStart } from '../process/start-check.ts'
import { warnAboutEnvironment, warnIfSigningKeyExpired } from '../process/startup-warnings.ts'
import { inspectSecrets } from '../secrets.ts'
import {
  type CommandOutput,
  EXIT_CODES,
  type ExitCode,
} from '../../packages/cli/src/command/command.ts'
import { CommandFailure } from '../../packages/cli/src/command/command-failure.ts'
import { pluralOf } from '../../packages/cli/src/command/wording.ts'

/** Checks the environment, folders and secrets as a start would read them, and changes nothing. */
export function checkConfiguration(output: CommandOutput, json: boolean): ExitCode {
  const nowMs = Date.now()
  try {
    const config = checkStart(process.env, process.cwd(), nowMs)
    const warnings: string[] = []
    const warn = (_fields: object, message: string) => {
      warnings.push(message)
    }
    const log = { debug() {}, info() {}, warn, error: warn }
    warnAboutEnvironment(config, log)
    const { publishedKeys = [], signingKey } = inspectSecrets(config, nowMs).secrets
    warnIfSigningKeyExpired(publishedKeys, nowMs, log)
    if (signingKey === undefined && config.runtime === 'production') {
      warnings.push('No signing key is configured; responses are unsigned')
    }
    if (json) output.out(JSON.stringify({ ok: true, warnings }))
    else {
      output.out(
        warnings.length === 0
          ? 'The configuration is valid.'
          : `The configuration is valid, with ${pluralOf(warnings.length, 'warning')}:`,
      )
      for (const warning of warnings) output.out(`  ${warning}`)
    }
    return EXIT_CODES.done
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const { message, mistakes } = error
    throw new CommandFailure('CONFIG', message, EXIT_CODES.failure, {
      details: mistakes,
      members: { mistakes },
    })
  }
}
