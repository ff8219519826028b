import { generateKeyPairSync, randomBytes } from 'node:crypto'
import path from 'node:path'
import {
  ConfigError,
  SECRET_VARIABLES,
  WAITLIST_IDENTITY_FILE,
  type Config,
  type SecretTexts,
} from './config.ts'
import { messageOf } from './contract/error-message.ts'
import { formatInstant } from './contract/instant.ts'
import { generateIdentity, parseIdentity } from './crypto/age-file.ts'
import { inspectSecrets, readSecretFile, requireSecrets, type Secrets } from './secrets.ts'
import { formatKeyMetadata } from './service/signing-key-metadata.ts'
import { makeFolder } from './storage/make-folder.ts'
import { createFile } from './storage/whole-file.ts'

/** The recipient of the existing identity, or of a new one that the caller must write. */
async function prepareRecipient(
  secretsDir: string,
): Promise<{ readonly recipient: string; readonly newIdentity: string | undefined }> {
  const file = path.join(secretsDir, WAITLIST_IDENTITY_FILE)
  const mistakes: string[] = []
  const known = readSecretFile(file, mistakes)
  if (mistakes.length > 0) throw new ConfigError(mistakes)
  if (known === undefined) {
    const { identity, recipient } = await generateIdentity()
    return { recipient, newIdentity: identity }
  }
  try {
    return { recipient: (await parseIdentity(known)).recipient, newIdentity: undefined }
  } catch {
    throw new ConfigError([`${file}: expected one age identity (a line AGE-SECRET-KEY-1…)`])
  }
}

async function makeMissing(
  { secretsDir }: Config,
  texts: SecretTexts,
  nowMs: number,
): Promise<readonly string[]> {
  const made: string[] = []
  /** Creates a file that only the owner can read; an existing file is never overwritten. */
  function write(file: string, text: string): void {
    const target = path.join(secretsDir, file)
    try {
      makeFolder(secretsDir, 0o700)
      // Complete, because an existing file counts as a secret. Durable, because rows that survive a power failure
      // need their identity.
      createFile(target, text, { mode: 0o600 }, 'claim')
    } catch (error) {
      const expected = 'expected a folder in which secrets can be made'
      throw new ConfigError([`SVC_SECRETS_DIR: ${expected} (${messageOf(error)})`])
    }
    made.push(target)
  }
  // First, because a mistake here must leave no new files.
  const waitlist =
    texts.waitlistRecipient === undefined ? await prepareRecipient(secretsDir) : undefined
  if (texts.signingKey === undefined) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    write(SECRET_VARIABLES.signingKey.file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    if (texts.signingKeys === undefined) {
      const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' })
      const notBefore = formatInstant(nowMs)
      write(
        SECRET_VARIABLES.signingKeys.file,
        formatKeyMetadata([{ publicKeyPem, status: 'current', notBefore, notAfter: null }]),
      )
    }
  }
  for (const name of ['keyHashSecret', 'addressHashSecret'] as const) {
    if (texts[name] !== undefined) continue
    write(SECRET_VARIABLES[name].file, `${randomBytes(32).toString('hex')}\n`)
  }
  if (waitlist !== undefined) {
    const { recipient, newIdentity } = waitlist
    if (newIdentity !== undefined) write(WAITLIST_IDENTITY_FILE, `${newIdentity}\n`)
    write(SECRET_VARIABLES.waitlistRecipient.file, `${recipient}\n`)
  }
  return made
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
  const made = await makeMissing(config, found.texts, nowMs)
  return {
    secrets: requireSecrets(made.length === 0 ? found : inspectSecrets(config, nowMs)),
    made,
  }
}
