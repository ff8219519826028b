import { accessSync, constants, statSync } from 'node:fs'
import { ConfigError, inspectConfig, type Config, type SecretTexts } from '../config.ts'
import type { Environment } from '../environment-reader.ts'
import { inspectSecrets } from '../secrets.ts'

/** The problem with a folder, or undefined. A missing folder can be created unless it `mustExist`. */
function folderMistake(
  variable: string,
  folder: string,
  purpose: string,
  mustExist: boolean,
): string | undefined {
  const expected = `${variable}: expected a folder ${purpose}, found`
  try {
    if (!statSync(folder).isDirectory()) return `${expected} a file at ${folder}`
    accessSync(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return mustExist ? `${expected} nothing at ${folder}` : undefined
    return `${expected} an unreadable one at ${folder} (${code})`
  }
}

/**
 * Checks configuration, folders and secrets as a start does, before anything is opened or created. Throws ConfigError with
 * every mistake. `secretVariables` replaces the secrets of the environment.
 */
export function checkStart(
  env: Environment,
  workingDir: string,
  nowMs: number,
  secretVariables?: SecretTexts,
): Config {
  const { config: inspected, mistakes } = inspectConfig(env, workingDir)
  const config = secretVariables === undefined ? inspected : { ...inspected, secretVariables }
  const folders = [
    folderMistake('SVC_RELEASES_DIR', config.releasesDir, 'of published releases', true),
    folderMistake('SVC_DATA_DIR', config.dataDir, 'for the embedded database', false),
    folderMistake('SVC_SECRETS_DIR', config.secretsDir, 'for secrets', false),
  ].filter((mistake) => mistake !== undefined)
  const all = [...mistakes, ...folders, ...inspectSecrets(config, nowMs).mistakes]
  if (all.length > 0) throw new ConfigError(all)
  return config
}
