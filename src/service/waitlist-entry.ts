import { parseInstant } from '../contract/instant.ts'

/** Label of the keyed hash that recognises an address on the waitlist. */
export const ADDRESS_HASH_LABEL = 'svc-address-v1'

/** All that is kept of a registration. It exists only in memory and inside a seal. */
export interface WaitlistEntry {
  /** As `formatTicket` makes it. With the time it ties what is sealed to the row it is in. */
  readonly ticket: string
  readonly email: string
  readonly locale: string
  readonly interests: readonly string[]
  readonly useCase: string | null
  /** ISO 8601 in UTC with milliseconds. */
  readonly registeredAt: string
}

/** What a seal held is no waitlist entry. The message holds nothing of it. */
export class WaitlistEntryError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'WaitlistEntryError'
  }
}

const VERSION = 1
/** Sizes are rounded up to this, so that the size of a row says little about what is in it. */
const PADDED_TO_BYTES = 256
const SPACE = 0x20

/** The bytes that are sealed: JSON with a version, and spaces up to the next multiple of 256 bytes. */
export function formatWaitlistEntry(entry: WaitlistEntry): Uint8Array {
  // Named one by one: nothing else that an object may carry gets in.
  const { ticket, email, locale, interests, useCase, registeredAt } = entry
  const text = JSON.stringify({
    version: VERSION,
    ticket,
    email,
    locale,
    interests,
    useCase,
    registeredAt,
  })
  const size = Math.ceil(Buffer.byteLength(text) / PADDED_TO_BYTES) * PADDED_TO_BYTES
  // Memory of its own, not a piece of one that buffers share, so that the caller can wipe it.
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
    // Without the cause: it quotes what it could not read.
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

/** Reads what `formatWaitlistEntry` wrote. Throws a WaitlistEntryError, also for an entry of a newer version. */
export function parseWaitlistEntry(bytes: Uint8Array): WaitlistEntry {
  const { version, ticket, email, locale, interests, useCase, registeredAt } = parseObject(bytes)
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
  }
}
