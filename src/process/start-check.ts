import { accessSync, constants, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { ConfigError, type ConfigMistake } from '../config-mistake.ts'
import { inspectConfig, WAITLIST_IDENTITY_FILE, type Config, type SecretTexts } from '../config.ts'
import type { Environment } from '../environment-reader.ts'
import { findExposedSecretFiles, inspectSecrets, type Secrets } from '../secrets.ts'
import type { Log } from '../service/logger.ts'
import { periodStateOf } from '../service/signing-keys/signing-key-document.ts'

/** The mistake in a folder, or undefined. A missing folder can be created unless it `mustExist`. */
function folderMistake(
  variable: string,
  folder: string,
  purpose: string,
  mustExist: boolean,
): ConfigMistake | undefined {
  const refuse = (found: string) => ({ variable, expected: `a folder ${purpose}`, found })
  try {
    if (!statSync(folder).isDirectory()) return refuse(`a file at ${folder}`)
    accessSync(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return mustExist ? refuse(`nothing at ${folder}`) : undefined
    return refuse(`an unreadable one at ${folder} (${code})`)
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

/** Logs warnings about valid but probably unintended configuration and files. */
export function warnAboutEnvironment(config: Config, log: Log): void {
  for (const { name, suggestion } of config.unknownVariables) {
    log.warn({ variable: name }, `Unknown variable ${name} has no effect${suggestion}`)
  }
  if (config.runtime === 'production' && config.baseUrl === undefined) {
    log.warn(
      {},
      'SVC_BASE_URL is not set; links and the origin rule use the listener’s own address',
    )
  }
  if (config.baseUrl === undefined && (config.host === '0.0.0.0' || config.host === '::')) {
    log.warn({}, `SVC_BASE_URL is not set, and links to ${config.host} cannot be followed`)
  }
  const identity = path.join(config.secretsDir, WAITLIST_IDENTITY_FILE)
  if (existsSync(identity)) {
    const level = config.runtime === 'production' ? 'warn' : 'info'
    log[level](
      { file: identity },
      `${identity} decrypts the waitlist and the service does not need it; move it to another machine`,
    )
  }
  const exposed = findExposedSecretFiles(config)
  if (exposed.length > 0) {
    log.warn({ files: exposed }, 'Other users can access these secret files; run chmod go= on them')
  }
}

/** A warning and not a mistake: unverified readers should still be served after an unattended restart. */
export function warnIfSigningKeyExpired(
  publishedKeys: Secrets['publishedKeys'],
  nowMs: number,
  log: Log,
): void {
  const current = publishedKeys.find(({ status }) => status === 'current')
  if (current === undefined || periodStateOf(current, nowMs) !== 'after') return
  const { keyId, notAfter } = current
  log.error(
    { keyId, notAfter },
    'The current signing key has expired; verifiers refuse every response until another key is promoted',
  )
}
