import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'

export const AGE_MISTAKES = {
  BAD_RECIPIENT: 'expected an age X25519 recipient, as age-keygen prints it (age1…)',
  BAD_IDENTITY: 'expected age X25519 identities, as age-keygen writes them (AGE-SECRET-KEY-1…)',
  NO_MATCHING_IDENTITY: 'encrypted to a recipient that none of the given identities matches',
  DAMAGED: 'damaged, or not an age file',
} as const

export type AgeMistake = keyof typeof AGE_MISTAKES

/** Encryption or decryption failed. The message contains no key and no content. */
export class AgeError extends Error {
  readonly code: AgeMistake

  /** `where` names the place of the mistake, such as a line. */
  constructor(code: AgeMistake, where?: string) {
    super(where === undefined ? AGE_MISTAKES[code] : `${where}: ${AGE_MISTAKES[code]}`)
    this.name = 'AgeError'
    this.code = code
  }
}

/** Other kinds of age recipients share the prefix and are longer. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/
const IDENTITY = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/

/** The library reports this case by its message only. A test fails when a new version changes it. */
const NO_MATCH_MESSAGE = "no identity matched any of the file's recipients"

export type Encryptor = Readonly<ReturnType<typeof createEncryptor>>

/** An encryptor for an X25519 recipient (`age1…`). Throws an AgeError BAD_RECIPIENT. */
export function createEncryptor(recipient: string) {
  if (!RECIPIENT.test(recipient)) throw new AgeError('BAD_RECIPIENT')
  const encrypter = new Encrypter()
  try {
    encrypter.addRecipient(recipient)
  } catch {
    throw new AgeError('BAD_RECIPIENT')
  }
  return {
    recipient,
    /** Returns a binary age v1 file with one X25519 stanza (c2sp.org/age). Two files of the same bytes differ. */
    encrypt: (plain: Uint8Array): Promise<Uint8Array> => encrypter.encrypt(plain),
  }
}

/** The recipient of an identity (`AGE-SECRET-KEY-1…`). Rejects with an AgeError BAD_IDENTITY. */
export async function deriveRecipient(identity: string): Promise<string> {
  if (!IDENTITY.test(identity)) throw new AgeError('BAD_IDENTITY')
  try {
    return await identityToRecipient(identity)
  } catch {
    // The library's message repeats the text that it could not read.
    throw new AgeError('BAD_IDENTITY')
  }
}

export async function generateIdentity() {
  const identity = await generateX25519Identity()
  return { identity, recipient: await deriveRecipient(identity) }
}

/** Decrypts files that are encrypted to any of its identities. */
export type Decryptor = Readonly<Awaited<ReturnType<typeof createDecryptor>>>

/** A decryptor with at least one identity (`AGE-SECRET-KEY-1…`). Rejects with an AgeError BAD_IDENTITY. */
export async function createDecryptor(identities: readonly string[]) {
  if (identities.length === 0) throw new AgeError('BAD_IDENTITY')
  const recipients = await Promise.all(identities.map(deriveRecipient))
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return {
    /** The recipients of the identities, in their order. */
    recipients,
    /** Rejects with an AgeError: NO_MATCHING_IDENTITY or DAMAGED. */
    async decrypt(file: Uint8Array): Promise<Uint8Array> {
      try {
        return await decrypter.decrypt(file)
      } catch (error) {
        const hasNoMatch = error instanceof Error && error.message === NO_MATCH_MESSAGE
        throw new AgeError(hasNoMatch ? 'NO_MATCHING_IDENTITY' : 'DAMAGED')
      }
    },
  }
}

/**
 * The identities in a text as age-keygen writes it: one per line; empty lines and lines that start with `#` are skipped.
 * Throws an AgeError BAD_IDENTITY that names the line and does not repeat it.
 */
export function parseIdentities(text: string): readonly string[] {
  const identities: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    if (!IDENTITY.test(content)) throw new AgeError('BAD_IDENTITY', `line ${index + 1}`)
    identities.push(content)
  }
  if (identities.length === 0) throw new AgeError('BAD_IDENTITY')
  return identities
}

/** The identity in a text that contains exactly one (see parseIdentities). Rejects with an AgeError BAD_IDENTITY. */
export async function parseIdentity(text: string) {
  const [identity, ...others] = parseIdentities(text)
  if (identity === undefined || others.length > 0) throw new AgeError('BAD_IDENTITY')
  return { identity, recipient: await deriveRecipient(identity) }
}
