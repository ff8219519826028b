import { parseInstant } from '../contract/instant.ts'

/** Label of the keyed hash that identifies an address on the waitlist. */
export const ADDRESS_HASH_LABEL = 'svc-address-v1'

/** The statement that a person agreed to. */
export interface Consent {
  /** The start of the text's SHA-256 in hex, which changes with every change of the text. */
  readonly version: string
  readonly text: string
}

/** Everything that is stored about a registration. It exists only in memory and encrypted. */
export interface WaitlistEntry {
  /** Binds the encrypted entry to its row, together with the time. */
  readonly ticket: string
  readonly email: string
  readonly locale: string
  readonly interests: readonly string[]
  readonly useCase: string | null
  /** ISO 8601 in UTC with milliseconds. */
  readonly registeredAt: string
  /** Null in entries of version 0.1.0, which did not store it. */
  readonly consent: Consent | null
}

/** A decrypted row is not a valid entry. The message does not quote the row. */
export class WaitlistEntryError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WaitlistEntryError'
  }
}

const VERSION = 1
/** Sizes are rounded up to this, so that the size of a row reveals little about its content. */
const PADDED_TO_BYTES = 256
const SPACE = 0x20

/** The bytes to encrypt: JSON with a version, padded with spaces to a multiple of 256 bytes. */
export function formatWaitlistEntry(entry: WaitlistEntry): Uint8Array {
  // Lists each member, so that no other one is written.
  const { ticket, email, locale, interests, useCase, registeredAt, consent } = entry
  const text = JSON.stringify({
    version: VERSION,
    ticket,
    email,
    locale,
    interests,
    useCase,
    registeredAt,
    ...(consent === null ? {} : { consent: { version: consent.version, text: consent.text } }),
  })
  const size = Math.ceil(Buffer.byteLength(text) / PADDED_TO_BYTES) * PADDED_TO_BYTES
  // Not allocated from the shared buffer pool, so that the caller can wipe it.
  const padded = new Uint8Array(size).fill(SPACE)
  new TextEncoder().encodeInto(text, padded)
  return padded
}

type Unchecked = { readonly [Name in keyof WaitlistEntry | 'version']?: unknown }

function parseObject(bytes: Uint8Array): Unchecked {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Without the cause, which quotes the text.
    throw new WaitlistEntryError('expected a waitlist entry in JSON, found something else')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new WaitlistEntryError('expected a waitlist entry, a JSON object')
}

function expect<Value>(name: string, value: unknown, is: (value: unknown) => value is Value) {
  if (is(value)) return value
  throw new WaitlistEntryError(`expected another kind of value in the entry's ${name}`)
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isStrings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(isString)
const isStringOrNull = (value: unknown): value is string | null => value === null || isString(value)
const isInstant = (value: unknown): value is string =>
  isString(value) && parseInstant(value) !== undefined

const isConsent = (value: unknown): value is Consent =>
  typeof value === 'object' &&
  value !== null &&
  'version' in value &&
  isString(value.version) &&
  'text' in value &&
  isString(value.text)

/** Parses an entry of `formatWaitlistEntry`. Throws a WaitlistEntryError, also for an entry of a newer version. */
export function parseWaitlistEntry(bytes: Uint8Array): WaitlistEntry {
  const { version, ticket, email, locale, interests, useCase, registeredAt, consent } =
    parseObject(bytes)
  if (version !== VERSION) {
    throw new WaitlistEntryError(
      `expected a waitlist entry of version ${VERSION}, found another: a newer version of this software may read it`,
    )
  }
  return {
    ticket: expect('ticket', ticket, isString),
    email: expect('email', email, isString),
    locale: expect('locale', locale, isString),
    interests: expect('interests', interests, isStrings),
    useCase: expect('useCase', useCase, isStringOrNull),
    registeredAt: expect('registeredAt', registeredAt, isInstant),
    consent: consent === undefined ? null : expect('consent', consent, isConsent),
  }
}
