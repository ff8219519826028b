import { formatConfigMistake } from '../../src/config-mistake.ts'
import { type Config, inspectConfig } from '../../src/config.ts'
import type { Environment } from '../../src/environment-reader.ts'
import { inspectSecrets } from '../../src/secrets.ts'

/** Inspects a configuration. Its mistakes are lines, as an operator reads them. */
export function inspectConfigLines(env: Environment, workingDir: string) {
  const { config, mistakes } = inspectConfig(env, workingDir)
  return { config, mistakes: mistakes.map(formatConfigMistake) }
}

/** Inspects secrets. Their mistakes are lines, as an operator reads them. */
export function inspectSecretsLines(config: Config, nowMs: number) {
  const inspected = inspectSecrets(config, nowMs)
  return { ...inspected, mistakes: inspected.mistakes.map(formatConfigMistake) }
}
