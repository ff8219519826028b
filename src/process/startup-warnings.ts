import { existsSync } from 'node:fs'
import path from 'node:path'
import { WAITLIST_IDENTITY_FILE, type Config } from '../config.ts'
import { findExposedSecretFiles, type Secrets } from '../secrets.ts'
import type { Log } from '../service/log.ts'
import { periodStateOf } from '../service/signing-key-document.ts'

/** Logs warnings about valid but probably unintended configuration and files. */
export function warnAboutEnvironment(config: Config, log: Log): void {
  for (const name of config.unknownVariables) {
    log.warn({ variable: name }, `Unknown variable ${name}; it has no effect`)
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
