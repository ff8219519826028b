import { CommandFailure, UsageError } from '@public-api/cli-kit/command'
import { onlyArgument } from '@public-api/cli-kit/option-values'
import { parseEmailAddress } from '@public-api/contract/waitlist/email-address'
import { TICKET_PATTERN } from '@public-api/contract/waitlist/ticket'
import { createKeyedHash } from '../../crypto/keyed-hash.ts'
import { ADDRESS_HASH_LABEL } from '../../service/waitlist/waitlist-entry.ts'
import { formatLocation } from '../../storage/open-storage.ts'
import type { StoredRegistration, WaitlistStore } from '../../storage/stores/waitlist-store.ts'
import { databaseLocation, readConfig, withDatabase } from '../database.ts'
import { readHashSecret } from '../hash-secret.ts'
import { readOneLine } from '../standard-input.ts'

const TICKET = new RegExp(TICKET_PATTERN)

/**
 * Finds the registration of the address argument (standard input if it is missing or `-`), and runs `work` with it.
 * Rejects with a UsageError that does not repeat the address, and with a CommandFailure: NOT_ON_LIST, or TICKET_MISMATCH
 * if `--ticket` names another ticket.
 */
export async function withRegistration(
  {
    positionals,
    values,
  }: {
    readonly positionals: readonly string[]
    readonly values: { readonly ticket?: string; readonly database?: string }
  },
  prompt: string,
  mode: 'read-only' | 'read-write',
  work?: (waitlist: WaitlistStore, addressHash: Uint8Array) => Promise<unknown>,
): Promise<StoredRegistration> {
  const given = onlyArgument(positionals, 'address', '-')
  const ticket = values.ticket?.trim().toUpperCase()
  if (ticket !== undefined && !TICKET.test(ticket)) {
    throw new UsageError('--ticket expects a ticket, such as EA-0123456789ABCDEF')
  }
  const database = databaseLocation(values.database)
  const { secret, place } = readHashSecret(readConfig(), 'addressHashSecret')
  const address = parseEmailAddress(given === '-' ? await readOneLine('address', prompt) : given)
  if (address === undefined) {
    throw new UsageError('expected an email address, such as ada@example.org')
  }
  const addressHash = createKeyedHash(secret, ADDRESS_HASH_LABEL)(address.normalized)
  return withDatabase(database, mode, async ({ waitlist }) => {
    const found = await waitlist.find(addressHash)
    if (found === undefined) {
      throw new CommandFailure(
        'NOT_ON_LIST',
        `the address is not on the list in ${formatLocation(database)}, judged by the secret in ${place}`,
      )
    }
    if (ticket !== undefined && found.ticket !== ticket) {
      throw new CommandFailure(
        'TICKET_MISMATCH',
        'the address is on the list with another ticket; nothing was changed',
      )
    }
    await work?.(waitlist, addressHash)
    return found
  })
}
