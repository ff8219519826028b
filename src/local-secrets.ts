import { generateKeyPairSync, randomBytes } from 'node:crypto'
import path from 'node:path'
import {
  ConfigError,
  SECRET_VARIABLES,
  WAITLIST_IDENTITY_FILE,
  type Config,
  type SecretName,
} from './config.ts'
import { formatInstant } from './contract/instant.ts'
import { generateIdentity, parseIdentity } from './crypto/age-file.ts'
import { inspectSecrets, readSecretFile, requireSecrets, type Secrets } from './secrets.ts'
import { formatKeyMetadata } from './service/signing-key-metadata.ts'
import { makeFolder } from './storage/make-folder.ts'
import { createFile } from './storage/whole-file.ts'

/** Secrets, and the files that the local runtime created on this start. */
export interface OpenedSecrets {
  readonly secrets: Secrets
  readonly made: readonly string[]
}

/** Writes files that only the owner can read; an existing file is never overwritten. */
function createSecretWriter(folder: string): {
  write: (file: string, text: string) => void
  made: string[]
} {
  const made: string[] = []
  return {
    made,
    write(file, text) {
      const target = path.join(folder, file)
      try {
        makeFolder(folder, 0o700)
        // Complete, because an existing file counts as a secret. Durable, because rows that survive a power failure
        // need their identity.
        createFile(target, text, { mode: 0o600, withoutLinks: 'claim' })
      } catch (error) {
        const { message } = error as NodeJS.ErrnoException
        throw new ConfigError([
          `SVC_SECRETS_DIR: expected a folder in which secrets can be made (${message})`,
        ])
      }
      made.push(target)
    },
  }
}

/** The recipient of the existing identity, or of a new one that the caller must write. */
async function prepareRecipient(
  config: Config,
): Promise<{ readonly recipient: string; readonly newIdentity: string | undefined }> {
  const file = path.join(config.secretsDir, WAITLIST_IDENTITY_FILE)
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
  config: Config,
  has: (name: SecretName) => boolean,
  nowMs: number,
): Promise<readonly string[]> {
  const { write, made } = createSecretWriter(config.secretsDir)
  // First, because a mistake here must leave no new files.
  const waitlist = has('waitlistRecipient') ? undefined : await prepareRecipient(config)
  if (!has('signingKey')) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    write(SECRET_VARIABLES.signingKey.file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    if (!has('signingKeys')) {
      const publicKeyPem = publicKey.export({ type: 'spki', format: 'pem' })
      const notBefore = formatInstant(nowMs)
      write(
        SECRET_VARIABLES.signingKeys.file,
        formatKeyMetadata([{ publicKeyPem, status: 'current', notBefore, notAfter: null }]),
      )
    }
  }
  for (const name of ['keyHashSecret', 'addressHashSecret'] as const) {
    if (!has(name)) write(SECRET_VARIABLES[name].file, `${randomBytes(32).toString('hex')}\n`)
  }
  if (waitlist !== undefined) {
    const { recipient, newIdentity } = waitlist
    if (newIdentity !== undefined) write(WAITLIST_IDENTITY_FILE, `${newIdentity}\n`)
    write(SECRET_VARIABLES.waitlistRecipient.file, `${recipient}\n`)
  }
  return made
}

/**
 * The secrets of a deployment. The local runtime creates missing ones; production never does. Throws ConfigError with
 * every mistake; a missing signing key is not a mistake.
 */
export async function openSecrets(config: Config, nowMs: number): Promise<OpenedSecrets> {
  const found = inspectSecrets(config, nowMs)
  if (found.mistakes.length > 0) throw new ConfigError(found.mistakes)
  if (config.runtime === 'production') return { secrets: requireSecrets(found), made: [] }
  const made = await makeMissing(config, (name) => found.present.has(name), nowMs)
  return {
    secrets: requireSecrets(made.length === 0 ? found : inspectSecrets(config, nowMs)),
    made,
  }
}
