import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'

import { createX25519Identity, createX25519Recipient } from './x25519-stanza.ts'

/** Why something could not be sealed or opened. */
export const SEAL_PROBLEMS = {
  BAD_RECIPIENT: 'expected an age X25519 recipient, as age-keygen prints it (age1…)',
  BAD_IDENTITY: 'expected age X25519 identities, as age-keygen writes them (AGE-SECRET-KEY-1…)',
  NO_IDENTITY_FITS: 'it is sealed to a recipient whose identity is not here',
  DAMAGED: 'it is damaged, or is no age file',
} as const

export type SealProblem = keyof typeof SEAL_PROBLEMS

/** Something could not be sealed or opened. The message holds no key and nothing of the content. */
export class SealError extends Error {
  readonly code: SealProblem

  /** `where` names the place of the mistake, such as a line. */
  constructor(code: SealProblem, where?: string) {
    super(where === undefined ? SEAL_PROBLEMS[code] : `${where}: ${SEAL_PROBLEMS[code]}`)
    this.name = 'SealError'
    this.code = code
  }
}

/** Seals to one recipient. */
export interface Sealer {
  readonly recipient: string
  /** A binary age v1 file with one X25519 stanza (c2sp.org/age). No two seals of the same bytes are alike. */
  seal(plain: Uint8Array): Promise<Uint8Array>
}

/** A secret key (`AGE-SECRET-KEY-1…`) with its public one (`age1…`). */
export interface IdentityPair {
  readonly identity: string
  readonly recipient: string
}

/** Opens what is sealed to any of its identities. */
export interface Opener {
  /** The recipients of the identities, in their order. */
  readonly recipients: readonly string[]
  /** What was sealed. Rejects with a SealError: NO_IDENTITY_FITS or DAMAGED. */
  open(sealed: Uint8Array): Promise<Uint8Array>
}

/** The other kinds of age recipients begin alike and are longer. */
const RECIPIENT = /^age1[02-9ac-hj-np-z]{58}$/
const IDENTITY = /^AGE-SECRET-KEY-1[02-9AC-HJ-NP-Z]{58}$/

/** A sealer for an X25519 recipient (`age1…`). Throws a SealError BAD_RECIPIENT, also for a key that nobody can seal to. */
export function createSealer(recipient: string): Sealer {
  if (!RECIPIENT.test(recipient)) throw new SealError('BAD_RECIPIENT')
  const encrypter = new Encrypter()
  try {
    // Only read, for the checksum: the stanza is made by ours.
    new Encrypter().addRecipient(recipient)
    const stanzas = createX25519Recipient(recipient)
    // A key of low order is found here, and not at the first registration.
    void stanzas.wrapFileKey(new Uint8Array(16))
    encrypter.addRecipient(stanzas)
  } catch {
    throw new SealError('BAD_RECIPIENT')
  }
  return { recipient, seal: (plain) => encrypter.encrypt(plain) }
}

/** The recipient of an identity (`AGE-SECRET-KEY-1…`). Rejects with a SealError BAD_IDENTITY. */
export async function recipientOf(identity: string): Promise<string> {
  if (!IDENTITY.test(identity)) throw new SealError('BAD_IDENTITY')
  try {
    return await identityToRecipient(identity)
  } catch {
    // The library's message repeats what it could not read.
    throw new SealError('BAD_IDENTITY')
  }
}

/** A new identity. */
export async function generateIdentity(): Promise<IdentityPair> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await recipientOf(identity) }
}

/** An opener with these identities (`AGE-SECRET-KEY-1…`), at least one. Rejects with a SealError BAD_IDENTITY. */
export async function createOpener(identities: readonly string[]): Promise<Opener> {
  if (identities.length === 0) throw new SealError('BAD_IDENTITY')
  const recipients = await Promise.all(identities.map(recipientOf))
  const keys = identities.map(createX25519Identity)
  return {
    recipients,
    async open(sealed) {
      let isForOthers = false
      const decrypter = new Decrypter()
      decrypter.addIdentity({
        async unwrapFileKey(stanzas) {
          for (const key of keys) {
            const fileKey = await key.unwrapFileKey(stanzas)
            if (fileKey !== null) return fileKey
          }
          isForOthers = true
          return null
        },
      })
      try {
        return await decrypter.decrypt(sealed)
      } catch {
        throw new SealError(isForOthers ? 'NO_IDENTITY_FITS' : 'DAMAGED')
      }
    },
  }
}

/**
 * The identities in a text as age-keygen writes it: one a line, with empty lines and lines that start with `#` between
 * them. Throws a SealError BAD_IDENTITY that names the line and does not repeat it.
 */
export function parseIdentities(text: string): readonly string[] {
  const identities: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    const content = line.trim()
    if (content === '' || content.startsWith('#')) continue
    if (!IDENTITY.test(content)) throw new SealError('BAD_IDENTITY', `line ${index + 1}`)
    identities.push(content)
  }
  if (identities.length === 0) throw new SealError('BAD_IDENTITY')
  return identities
}

/** The identity in a text that is to hold exactly one (see parseIdentities). Rejects with a SealError BAD_IDENTITY. */
export async function readIdentity(text: string): Promise<IdentityPair> {
  const [identity, ...others] = parseIdentities(text)
  if (identity === undefined || others.length > 0) throw new SealError('BAD_IDENTITY')
  return { identity, recipient: await recipientOf(identity) }
}
