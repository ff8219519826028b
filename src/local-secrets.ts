import { generateKeyPairSync, randomBytes } from 'node:crypto'
import path from 'node:path'
import { createFile, makeFolder } from '@public-api/client-internal/node/durable-file'
import { messageOf } from '@public-api/contract/errors/error-message'
import { formatInstant } from '@public-api/contract/text/instant'
import { ConfigError } from './config-mistake.ts'
import {
  SECRET_VARIABLES,
  WAITLIST_IDENTITY_FILE,
  type Config,
  type SecretTexts,
} from './config.ts'
import { generateIdentity, parseIdentity } from './crypto/age-file.ts'
import { inspectSecrets, readSecretFile, requireSecrets, type Secrets } from './secrets.ts'
import { formatKeyMetadata } from './service/signing-keys/signing-key-metadata.ts'

/** The identity of the waitlist if its file exists, or a new one. */
function readOrGenerateIdentity(file: string) {
  const text = readSecretFile(file)
  if (text === undefined) return { ...generateIdentity(), isNew: true }
  try {
    return { ...parseIdentity(text), isNew: false }
  } catch {
    const expected = 'one age identity (a line AGE-SECRET-KEY-1…)'
    throw new ConfigError([{ variable: file, expected }])
  }
}

/** The texts of new files for the secrets that are missing, by file name in the order of writing. Writes nothing. */
function generateMissing(secretsDir: string, texts: SecretTexts, nowMs: number) {
  const files = new Map<string, string>()
  const { signingKey, signingKeys, waitlistRecipient } = SECRET_VARIABLES
  if (texts.signingKey === undefined) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    files.set(signingKey.file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    if (texts.signingKeys === undefined) {
      const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' })
      const notBefore = formatInstant(nowMs)
      const key = { publicKeyPem, status: 'current', notBefore, notAfter: null } as const
      files.set(signingKeys.file, formatKeyMetadata([key]))
    }
  }
  for (const name of ['keyHashSecret', 'addressHashSecret'] as const) {
    if (texts[name] !== undefined) continue
    files.set(SECRET_VARIABLES[name].file, `${randomBytes(32).toString('hex')}\n`)
  }
  if (texts.waitlistRecipient === undefined) {
    const file = path.join(secretsDir, WAITLIST_IDENTITY_FILE)
    const { identity, recipient, isNew } = readOrGenerateIdentity(file)
    if (isNew) files.set(WAITLIST_IDENTITY_FILE, `${identity}\n`)
    files.set(waitlistRecipient.file, `${recipient}\n`)
  }
  return files
}

/**
 * The secrets of a deployment. The local runtime makes the missing ones, whose files are `made`; production never makes
 * one. Throws ConfigError with every mistake; a missing signing key is not a mistake.
 */
export async function openSecrets(
  config: Config,
  nowMs: number,
): Promise<{ readonly secrets: Secrets; readonly made: readonly string[] }> {
  const found = inspectSecrets(config, nowMs)
  if (found.mistakes.length > 0) throw new ConfigError(found.mistakes)
  if (config.runtime === 'production') return { secrets: requireSecrets(found), made: [] }
  const { secretsDir } = config
  const made: string[] = []
  for (const [name, text] of generateMissing(secretsDir, found.texts, nowMs)) {
    const file = path.join(secretsDir, name)
    try {
      makeFolder(secretsDir, 0o700)
      // Complete, because an existing file counts as a secret. Durable, because rows that survive a power failure need
      // their identity.
      createFile(file, text, { mode: 0o600 })
    } catch (error) {
      const expected = `a writable folder (${messageOf(error)})`
      throw new ConfigError([{ variable: 'SVC_SECRETS_DIR', expected }])
    }
    made.push(file)
  }
  return {
    secrets: requireSecrets(made.length === 0 ? found : inspectSecrets(config, nowMs)),
    made,
  }
}
