import { parseJson } from '@public-api/contract/json/parse-json'
import { propertyOf } from '@public-api/contract/json/property-of'
import { schemaMistake } from '@public-api/contract/schemas/schema-mistake'
import type { SchemaType } from '@public-api/contract/terms/schema-type'

/** Label of the keyed hash that identifies an address on the waitlist. */
export const ADDRESS_HASH_LABEL = 'svc-address-v1'

const ENTRY_SCHEMA = {
  type: 'object',
  required: ['ticket', 'email', 'locale', 'interests', 'useCase', 'registeredAt'],
  properties: {
    ticket: { type: 'string' },
    email: { type: 'string' },
    locale: { type: 'string' },
    interests: { type: 'array', items: { type: 'string' } },
    useCase: { type: 'string', nullable: true },
    registeredAt: { type: 'string', format: 'date-time' },
    consent: {
      type: 'object',
      nullable: true,
      required: ['version', 'text'],
      properties: { version: { type: 'string' }, text: { type: 'string' } },
    },
  },
} as const

type StoredEntry = SchemaType<typeof ENTRY_SCHEMA>

/**
 * Everything that is stored about a registration. It exists only in memory and encrypted. `ticket` and `registeredAt` (ISO
 * 8601 in UTC with milliseconds) tie the encrypted entry to its row. `consent` is the statement that the person agreed to,
 * with the start of the SHA-256 of its text in hex as its version; null in entries of version 0.1.0, which did not store it.
 */
export type WaitlistEntry = Required<StoredEntry>

/** A decrypted row is not a valid entry. The message does not quote the row. */
export class WaitlistEntryError extends Error {
  override readonly name = 'WaitlistEntryError'
}

const VERSION = 1
/** The members that are written, those of `consent` included. */
const MEMBERS = ['version', ...ENTRY_SCHEMA.required, 'consent', 'text']
/** Sizes are rounded up to this, so that the size of a row reveals little about its content. */
const PADDED_TO_BYTES = 256
const SPACE = 0x20

/** The bytes to encrypt: JSON with a version, padded with spaces to a multiple of 256 bytes. */
export function formatWaitlistEntry(entry: WaitlistEntry): Uint8Array {
  const text = JSON.stringify({ ...entry, version: VERSION }, MEMBERS)
  const size = Math.ceil(Buffer.byteLength(text) / PADDED_TO_BYTES) * PADDED_TO_BYTES
  // Not allocated from the shared buffer pool, so that the caller can wipe it.
  const padded = new Uint8Array(size).fill(SPACE)
  new TextEncoder().encodeInto(text, padded)
  return padded
}

/** Parses an entry of `formatWaitlistEntry`. Throws a WaitlistEntryError, also for an entry of a newer version. */
export function parseWaitlistEntry(bytes: Uint8Array): WaitlistEntry {
  const value = parseJson(bytes)
  if (schemaMistake({ type: 'object' }, value) !== undefined) {
    throw new WaitlistEntryError('expected a waitlist entry as a JSON object, found something else')
  }
  if (propertyOf(value, 'version') !== VERSION) {
    throw new WaitlistEntryError(
      `expected a waitlist entry of version ${VERSION}, found another: a newer version of this software may read it`,
    )
  }
  const mistake = schemaMistake(ENTRY_SCHEMA, value)
  if (mistake !== undefined) {
    throw new WaitlistEntryError(`expected another kind of value in the entry: ${mistake}`)
  }
  const { ticket, email, locale, interests, useCase, registeredAt, consent } = value as StoredEntry
  return { ticket, email, locale, interests, useCase, registeredAt, consent: consent ?? null }
}
