import { AgeError, type Decryptor } from '../../crypto/age-file.ts'
import {
  parseWaitlistEntry,
  type WaitlistEntry,
  WaitlistEntryError,
} from '../../service/waitlist/waitlist-entry.ts'
import type { StoredRegistration, WaitlistStore } from '../../storage/stores/waitlist-store.ts'
import { readRegistrationPages } from '../read-pages.ts'

/** A registration with its decrypted content. */
export interface OpenedRow {
  readonly row: StoredRegistration
  readonly plain: Uint8Array
  readonly entry: WaitlistEntry
}

function failureReason(error: unknown, { recipient }: StoredRegistration): string {
  if (error instanceof AgeError) {
    return error.code === 'NO_MATCHING_IDENTITY'
      ? `encrypted to ${recipient}, which none of the given identities matches, or its header is damaged`
      : error.message
  }
  if (error instanceof WaitlistEntryError) return error.message
  throw error
}

/** Decrypts a row and compares the content with its plain columns. Rejects with AgeError or WaitlistEntryError. */
export async function openRow(row: StoredRegistration, decryptor: Decryptor): Promise<OpenedRow> {
  const plain = await decryptor.decrypt(row.sealed)
  const entry = parseWaitlistEntry(plain)
  // Files that were swapped between rows would show another person's ticket.
  if (entry.ticket !== row.ticket) {
    throw new WaitlistEntryError('the encrypted entry has another ticket than its row')
  }
  if (Date.parse(entry.registeredAt) !== row.registeredAtMs) {
    throw new WaitlistEntryError('the encrypted entry has another time than its row')
  }
  return { row, plain, entry }
}

/**
 * Reads the list page by page in the order of registering and decrypts the rows that `pick` accepts. `read` counts all rows
 * of a page. `failures` has a line for each row that could not be decrypted, or whose content does not match its columns.
 */
export async function* openRows(
  store: Pick<WaitlistStore, 'readAfter'>,
  decryptor: Decryptor,
  pick: (row: StoredRegistration) => boolean = () => true,
) {
  for await (const page of readRegistrationPages(store)) {
    const opened: OpenedRow[] = []
    const failures: string[] = []
    for (const row of page.filter(pick)) {
      try {
        opened.push(await openRow(row, decryptor))
      } catch (error) {
        const { position, ticket } = row
        failures.push(`position ${position}, ticket ${ticket}: ${failureReason(error, row)}`)
      }
    }
    yield { read: page.length, opened, failures }
  }
}
