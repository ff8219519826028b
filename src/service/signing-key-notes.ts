import type { KeyObject } from 'node:crypto'
import { parseInstant } from '../contract/instant.ts'
import {
  publicSigningKeyOf,
  SigningKeyError,
  type PublicSigningKey,
} from '../crypto/signing-keys.ts'
import type { PublishedSigningKey } from './signing-key-document.ts'

/** What is noted on a signing key. Times as the signing-key document carries them, or null. */
interface KeyNote {
  readonly publicKeyPem: string
  readonly status: PublishedSigningKey['status']
  readonly notBefore: string | null
  readonly notAfter: string | null
}

/** A key with what is noted on it. */
export interface NotedKey {
  readonly note: KeyNote
  readonly key: PublicSigningKey
}

/** A moment as the signing-key document carries it, or null. */
function isInstantOrNull(value: unknown): boolean {
  return value === null || (typeof value === 'string' && parseInstant(value) !== undefined)
}

function isKeyNote(value: unknown): value is KeyNote {
  if (typeof value !== 'object' || value === null) return false
  const { publicKeyPem, status, notBefore, notAfter } = value as Partial<KeyNote>
  const isStatus = status === 'current' || status === 'next' || status === 'retired'
  return (
    typeof publicKeyPem === 'string' &&
    isStatus &&
    isInstantOrNull(notBefore) &&
    isInstantOrNull(notAfter)
  )
}

function readNotes(text: string): readonly KeyNote[] {
  let notes: unknown
  try {
    notes = (JSON.parse(text) as { keys?: unknown } | null)?.keys
  } catch {
    notes = undefined
  }
  if (!Array.isArray(notes) || !notes.every(isKeyNote)) {
    throw new SigningKeyError(
      'expected JSON of the form {"keys":[{"publicKeyPem","status":"current|next|retired","notBefore","notAfter"}]} with times such as 2026-01-31T00:00:00Z or null',
    )
  }
  return notes
}

/**
 * Reads the notes on signing keys, JSON as `formatKeyNotes` writes it: dates of the current one, and the public halves of
 * the next and the retired ones. Throws SigningKeyError for what is wrong with them on their own.
 */
export function parseKeyNotes(text: string): readonly NotedKey[] {
  const notes = readNotes(text)
  const noted = notes.map((note) => ({ note, key: publicSigningKeyOf(note.publicKeyPem) }))
  if (new Set(noted.map(({ key }) => key.keyId)).size < noted.length) {
    throw new SigningKeyError('expected each public key once, found one twice')
  }
  for (const { notBefore, notAfter } of notes) {
    if (notBefore === null || notAfter === null) continue
    if (Date.parse(notBefore) < Date.parse(notAfter)) continue
    throw new SigningKeyError(
      `expected notBefore to be earlier than notAfter, found ${notBefore} and ${notAfter}`,
    )
  }
  return noted
}

/** The notes as text of their file. */
export function formatKeyNotes(notes: readonly KeyNote[]): string {
  return `${JSON.stringify({ keys: notes }, null, 2)}\n`
}

/** What is published of the key that signs and of the noted ones, the former first. Throws SigningKeyError. */
export function publishKeys(
  signingKey: KeyObject,
  noted: readonly NotedKey[],
): readonly PublishedSigningKey[] {
  const current = publicSigningKeyOf(signingKey)
  const own = noted.find(({ key }) => key.keyId === current.keyId)?.note
  const strangers = noted.filter(({ key }) => key.keyId !== current.keyId)
  if (strangers.some(({ note }) => note.status === 'current')) {
    throw new SigningKeyError(
      'expected the key marked current to be the one of the private signing key',
    )
  }
  if (own !== undefined && own.status !== 'current') {
    throw new SigningKeyError(
      `expected the key of the private signing key to be marked current, found it marked ${own.status}`,
    )
  }
  return [
    {
      ...current,
      status: 'current',
      notBefore: own?.notBefore ?? null,
      notAfter: own?.notAfter ?? null,
    },
    ...strangers.map(({ note: { status, notBefore, notAfter }, key }) => ({
      ...key,
      status,
      notBefore,
      notAfter,
    })),
  ]
}
