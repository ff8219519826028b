import { generateX25519Identity } from 'age-encryption'
import { createEncryptor, deriveRecipient, type Encryptor } from '../../../src/crypto/age-file.ts'
import { createKeyedHash } from '../../../src/crypto/keyed-hash.ts'
import {
  ADDRESS_HASH_LABEL,
  formatWaitlistEntry,
  type WaitlistEntry,
} from '../../../src/service/waitlist/waitlist-entry.ts'
import type {
  SealedRegistration,
  StoredRegistration,
  WaitlistStore,
} from '../../../src/storage/stores/waitlist-store.ts'

/** An identity with what seals to it. */
export interface KeyPair {
  readonly identity: string
  readonly recipient: string
  readonly encryptor: Encryptor
}

export async function makeKeyPair(): Promise<KeyPair> {
  const identity = await generateX25519Identity()
  const recipient = deriveRecipient(identity)
  return { identity, recipient, encryptor: createEncryptor(recipient) }
}

export const ADDRESS_HASH_SECRET = 'an-address-hash-secret-that-is-long-enough'
const hashAddress = createKeyedHash(ADDRESS_HASH_SECRET, ADDRESS_HASH_LABEL)
const FIRST_MS = Date.UTC(2026, 0, 31, 12)

/** The registration of the person with this number, from 1. */
export function entryOf(number: number, changes: Partial<WaitlistEntry> = {}): WaitlistEntry {
  return {
    ticket: `EA-${number.toString(16).toUpperCase().padStart(16, '0')}`,
    email: `person${number}@example.org`,
    locale: 'en',
    interests: ['api'],
    useCase: number % 2 === 0 ? null : `Reason ${number}`,
    registeredAt: new Date(FIRST_MS + number * 1000).toISOString(),
    consent: { version: '0123456789abcdef', text: 'I agree.' },
    ...changes,
  }
}

/** The same, as the service would hand it to the store. */
export async function sealedRegistration(
  number: number,
  { recipient, encryptor }: Pick<KeyPair, 'recipient' | 'encryptor'>,
  changes: Partial<WaitlistEntry> = {},
): Promise<SealedRegistration> {
  const entry = entryOf(number, changes)
  return {
    ticket: entry.ticket,
    addressHash: hashAddress(entry.email),
    recipient,
    sealed: await encryptor.encrypt(formatWaitlistEntry(entry)),
    registeredAtMs: Date.parse(entry.registeredAt),
  }
}

/** So many registrations, of the persons 1, 2, 3… */
export async function sealedRegistrations(
  count: number,
  keys: KeyPair,
  first = 1,
): Promise<readonly SealedRegistration[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => sealedRegistration(first + index, keys)),
  )
}

/** A waitlist in memory, for what needs no database. Positions have gaps, as after erasures. */
export function memoryWaitlist(registrations: readonly SealedRegistration[]): {
  readonly store: WaitlistStore
  readonly rows: Map<number, StoredRegistration>
} {
  const rows = new Map(
    registrations.map((row, index) => {
      const position = index * 3 + 2
      return [position, { ...row, position }]
    }),
  )
  const refuse = () => Promise.reject(new Error('not expected to be called'))
  return {
    rows,
    store: {
      add: refuse,
      count: refuse,
      find: refuse,
      erase: refuse,
      expire: refuse,
      testWrite: refuse,
      async readAfter(position, limit) {
        return [...rows.values()].filter((row) => row.position > position).slice(0, limit)
      },
      async reseal(seals) {
        let count = 0
        for (const { position, fromRecipient, recipient, sealed } of seals) {
          const row = rows.get(position)
          if (row?.recipient !== fromRecipient) continue
          rows.set(position, { ...row, recipient, sealed })
          count += 1
        }
        return count
      },
    },
  }
}
