import { ConfigError } from '../../src/config-mistake.ts'
import type { Environment } from '../../src/environment-reader.ts'
import { checkStart } from '../../src/process/start-check.ts'

/** Checks a configuration as a start does before it opens anything. Returns the mistakes, one on each line. */
export function startMistakes(folder: string, env: Environment = {}): string {
  try {
    checkStart(env, folder, Date.now())
    return ''
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.lines.join('\n')
  }
}
