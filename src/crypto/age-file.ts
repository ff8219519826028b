import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { bech32 } from '@scure/base'

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

/** Loaded with the first encryption or decryption: its 57 modules took a sixth of the start of the service. */
const loadAge = () => import('age-encryption')

export type Encryptor = Readonly<ReturnType<typeof createEncryptor>>

/** An encryptor for an X25519 recipient (`age1…`). Throws an AgeError BAD_RECIPIENT. */
export function createEncryptor(recipient: string) {
  if (!RECIPIENT.test(recipient) || decodeKey(recipient) === undefined) {
    throw new AgeError('BAD_RECIPIENT')
  }
  return {
    recipient,
    /** Returns a binary age v1 file with one X25519 stanza (c2sp.org/age). Two files of the same bytes differ. */
    async encrypt(plain: Uint8Array): Promise<Uint8Array> {
      const { Encrypter } = await loadAge()
      const encrypter = new Encrypter()
      encrypter.addRecipient(recipient)
      return encrypter.encrypt(plain)
    },
  }
}

/** The 32 bytes of a recipient or an identity; undefined if its checksum is wrong. */
function decodeKey(text: string): Uint8Array | undefined {
  const decoded = bech32.decodeUnsafe(text)
  const bytes = decoded && bech32.fromWordsUnsafe(decoded.words)
  return bytes?.length === 32 ? bytes : undefined
}

/** RFC 8410: what precedes the 32 bytes of an X25519 private key in PKCS #8. */
const PKCS8_START = Buffer.from('302e020100300506032b656e04220420', 'hex')

function recipientOf(privateKey: KeyObject): string {
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  return bech32.encodeFromBytes('age', Buffer.from(x, 'base64url'))
}

/** The recipient of an identity (`AGE-SECRET-KEY-1…`). Throws an AgeError BAD_IDENTITY. */
export function deriveRecipient(identity: string): string {
  const bytes = IDENTITY.test(identity) ? decodeKey(identity) : undefined
  if (bytes === undefined) throw new AgeError('BAD_IDENTITY')
  const key = Buffer.concat([PKCS8_START, bytes])
  return recipientOf(createPrivateKey({ key, format: 'der', type: 'pkcs8' }))
}

export function generateIdentity() {
  const { privateKey } = generateKeyPairSync('x25519')
  const { d = '' } = privateKey.export({ format: 'jwk' })
  const identity = bech32.encodeFromBytes('age-secret-key-', Buffer.from(d, 'base64url'))
  return { identity: identity.toUpperCase(), recipient: recipientOf(privateKey) }
}

/** Decrypts files that are encrypted to any of its identities. */
export type Decryptor = Readonly<Awaited<ReturnType<typeof createDecryptor>>>

/** A decryptor with at least one identity (`AGE-SECRET-KEY-1…`). Rejects with an AgeError BAD_IDENTITY. */
export async function createDecryptor(identities: readonly string[]) {
  if (identities.length === 0) throw new AgeError('BAD_IDENTITY')
  const recipients = identities.map(deriveRecipient)
  const { Decrypter } = await loadAge()
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

/** The identity in a text that contains exactly one (see parseIdentities). Throws an AgeError BAD_IDENTITY. */
export function parseIdentity(text: string) {
  const [identity, ...others] = parseIdentities(text)
  if (identity === undefined || others.length > 0) throw new AgeError('BAD_IDENTITY')
  return { identity, recipient: deriveRecipient(identity) }
}
