import { parseEmailAddress } from '../../contract/email-address.ts'
import { TICKET_PATTERN } from '../../contract/ticket.ts'
import { createKeyedHash } from '../../crypto/keyed-hash.ts'
import { ADDRESS_HASH_LABEL } from '../../service/waitlist-entry.ts'
import type { StoredRegistration, WaitlistStore } from '../../storage/waitlist-store.ts'
import { CommandFailure } from '../../../packages/cli/src/command/command-failure.ts'
import { UsageError } from '../../../packages/cli/src/command/command.ts'
import { readConfig } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { readOneLine } from '../standard-input.ts'

const TICKET = new RegExp(TICKET_PATTERN)

/** A person's address as its keyed hash, and the place of the hash secret for messages. */
export interface HashedAddress {
  readonly addressHash: Uint8Array
  readonly place: string
}

/** Hashes an address argument; `-` reads it from standard input. Rejects with a UsageError that does not repeat it. */
export async function hashAddressArgument(given: string, prompt: string): Promise<HashedAddress> {
  const { secret, place } = readHashSecret(readConfig(), 'addressHashSecret')
  const text = given === '-' ? await readOneLine('address', prompt) : given
  const address = parseEmailAddress(text)
  if (address === undefined) {
    throw new UsageError('expected an email address, such as ada@example.org')
  }
  return { addressHash: createKeyedHash(secret, ADDRESS_HASH_LABEL)(address.normalized), place }
}

/** The address argument (default `-`) and the value of `--ticket`. Throws a UsageError. */
export function parseRegistrationArguments(positionals: readonly string[], option?: string) {
  const [given = '-', ...others] = positionals
  if (others.length > 0) throw new UsageError('expected one address')
  const ticket = option?.trim().toUpperCase()
  if (ticket !== undefined && !TICKET.test(ticket)) {
    throw new UsageError('--ticket expects a ticket, such as EA-0123456789ABCDEF')
  }
  return { given, ticket }
}

/**
 * The registration of an address. Rejects with a CommandFailure NOT_ON_LIST, or TICKET_MISMATCH if a ticket is given and
 * the registration has another one.
 */
export async function findRegistration(
  store: Pick<WaitlistStore, 'find'>,
  { addressHash, place }: HashedAddress,
  ticket: string | undefined,
  database: string,
): Promise<StoredRegistration> {
  const found = await store.find(addressHash)
  if (found === undefined) {
    throw new CommandFailure(
      'NOT_ON_LIST',
      `the address is not on the list in ${database}, judged by the secret in ${place}`,
    )
  }
  if (ticket !== undefined && found.ticket !== ticket) {
    throw new CommandFailure(
      'TICKET_MISMATCH',
      'the address is on the list with another ticket; nothing was changed',
    )
  }
  return found
}
