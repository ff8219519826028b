import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { messageOf } from '@public-api/contract/errors/error-message'
import { ConfigError, type ConfigMistake } from './config-mistake.ts'
import {
  NEXT_SIGNING_KEY_FILE,
  SECRET_VARIABLES,
  WAITLIST_IDENTITY_FILE,
  type Config,
  type SecretName,
  type SecretTexts,
} from './config.ts'
import { createEncryptor } from './crypto/age-file.ts'
import {
  parsePrivateSigningKey,
  derivePublicSigningKey,
  SigningKeyError,
} from './crypto/signing-keys.ts'
import { parseKeyMetadata, publishKeys } from './service/signing-keys/signing-key-metadata.ts'

/** The secrets of the service, read and checked. */
export type Secrets = Readonly<ReturnType<typeof requireSecrets>>

const SECRET_NAMES = Object.keys(SECRET_VARIABLES) as SecretName[]

/** A shorter hash key could be guessed. */
const MIN_SECRET_CHARACTERS = 32

/** The trimmed text of a file; undefined if it is missing. Throws a ConfigError for an unreadable file. */
export function readSecretFile(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ConfigError([{ variable: file, expected: `a readable file (${message})` }])
  }
}

function parseHashSecret(text: string): string {
  // White space separates several secrets during a rotation.
  if (/\s/.test(text)) throw new TypeError('expected one secret without white space inside')
  if (text.length >= MIN_SECRET_CHARACTERS) return text
  throw new TypeError(
    `expected at least ${MIN_SECRET_CHARACTERS} characters, as openssl rand -hex 32 writes them`,
  )
}

/** One or more secrets, with white space between them. */
function parsePreviousSecrets(text: string, current: string | undefined): readonly string[] {
  const secrets = text
    .split(/\s+/)
    .filter((each) => each !== '')
    .map(parseHashSecret)
  if (current === undefined || !secrets.includes(current)) return secrets
  throw new TypeError('expected secrets from before the rotation, found the current one')
}

/**
 * The next private key if `signing-keys.json` already marks it as current. `svc signing-key promote` commits by replacing
 * that file, and renames the private key after it; a start between the two steps finds the key here.
 */
function readPromotedKey(config: Config, metadataText: string | undefined): string | undefined {
  if (metadataText === undefined || config.secretVariables.signingKey !== undefined)
    return undefined
  try {
    const text = readSecretFile(path.join(config.secretsDir, NEXT_SIGNING_KEY_FILE))
    if (text === undefined) return undefined
    const { keyId } = derivePublicSigningKey(parsePrivateSigningKey(text))
    const current = parseKeyMetadata(metadataText).find(({ status }) => status === 'current')
    return current?.keyId === keyId ? text : undefined
  } catch {
    // Reported where the metadata is read; a damaged next key must not stop a start.
    return undefined
  }
}

/** The secrets from wherever they are now, and the files that cannot be read. */
function readTexts(config: Config): {
  readonly texts: SecretTexts
  readonly mistakes: readonly ConfigMistake[]
} {
  const texts: { [Name in SecretName]?: string | undefined } = {}
  const mistakes: ConfigMistake[] = []
  for (const name of SECRET_NAMES) {
    const file = path.join(config.secretsDir, SECRET_VARIABLES[name].file)
    try {
      texts[name] = config.secretVariables[name] ?? readSecretFile(file)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      mistakes.push(...error.mistakes)
    }
  }
  const signingKey = readPromotedKey(config, texts.signingKeys) ?? texts.signingKey
  return { texts: { ...texts, signingKey }, mistakes }
}

/** Reads and checks the secrets as they are at a time, in milliseconds since 1970. Creates nothing and throws nothing. */
export function inspectSecrets(config: Config, nowMs: number) {
  const { texts, mistakes: unreadable } = readTexts(config)
  const mistakes = [...unreadable]
  const read = <Value>(name: SecretName, parse: (text: string) => Value): Value | undefined => {
    const text = texts[name]
    if (text === undefined) return undefined
    try {
      return parse(text)
    } catch (error) {
      const { variable, file } = SECRET_VARIABLES[name]
      const isInFile = config.secretVariables[name] === undefined
      const place = isInFile ? path.join(config.secretsDir, file) : variable
      mistakes.push({ variable: place, expected: messageOf(error).replace(/^expected /, '') })
      return undefined
    }
  }
  const signingKey = read('signingKey', parsePrivateSigningKey)
  const published = read('signingKeys', (text) => {
    const metadata = parseKeyMetadata(text)
    if (signingKey !== undefined) return publishKeys(signingKey, metadata, nowMs)
    if (texts.signingKey === undefined && metadata.some(({ status }) => status === 'current')) {
      const { variable, file } = SECRET_VARIABLES.signingKey
      throw new SigningKeyError(
        `expected no key marked current without its private half, in ${variable} or ${path.join(config.secretsDir, file)}`,
      )
    }
    return []
  })
  const keyHashSecret = read('keyHashSecret', parseHashSecret)
  const secrets = {
    /** Undefined in a production runtime without a signing key: responses are unsigned (spec 5.7). */
    signingKey,
    /** Empty without a signing key. */
    publishedKeys:
      published ?? (signingKey === undefined ? [] : publishKeys(signingKey, [], nowMs)),
    /** Key of the hash under which API keys are stored. */
    keyHashSecret,
    /** Earlier secrets whose keys are still accepted; empty except during a rotation. */
    previousKeyHashSecrets:
      read('previousKeyHashSecrets', (text) => parsePreviousSecrets(text, keyHashSecret)) ?? [],
    /** Key of the hash that recognizes an address on the waitlist. */
    addressHashSecret: read('addressHashSecret', parseHashSecret),
    /** age recipient of waitlist rows. Its checksum is checked, because no identity exists for a mistyped one. */
    waitlistRecipient: read('waitlistRecipient', (text) => createEncryptor(text).recipient),
  }
  for (const name of SECRET_NAMES) {
    const secret = SECRET_VARIABLES[name]
    if (config.runtime !== 'production' || !('purpose' in secret) || texts[name] !== undefined)
      continue
    const place = path.join(config.secretsDir, secret.file)
    const expected = `${secret.purpose}, here or in ${place}`
    mistakes.push({ variable: secret.variable, expected, found: 'neither' })
  }
  return {
    /** Every mistake, each with its variable or file; in production also every secret that is missing. */
    mistakes: mistakes as readonly ConfigMistake[],
    /** The secrets that are set somewhere, valid or not. */
    texts,
    secrets,
  }
}

/** The secrets of a deployment that has all it needs. Throws ConfigError with every mistake. */
export function requireSecrets({ mistakes, secrets }: ReturnType<typeof inspectSecrets>) {
  const { keyHashSecret, addressHashSecret, waitlistRecipient } = secrets
  if (
    keyHashSecret === undefined ||
    addressHashSecret === undefined ||
    waitlistRecipient === undefined
  ) {
    throw new ConfigError(mistakes)
  }
  return { ...secrets, keyHashSecret, addressHashSecret, waitlistRecipient }
}

/** Files of the secrets folder that other users can write, or read unless the content is public. */
export function findExposedSecretFiles({ secretsDir }: Config): readonly string[] {
  const ownFiles = [{ file: WAITLIST_IDENTITY_FILE }, { file: NEXT_SIGNING_KEY_FILE }]
  return [...ownFiles, ...Object.values(SECRET_VARIABLES)]
    .filter((secret) => {
      const file = path.join(secretsDir, secret.file)
      const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0
      return (mode & ('isPublic' in secret ? 0o022 : 0o077)) !== 0
    })
    .map(({ file }) => path.join(secretsDir, file))
}
