import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspectConfig } from '../src/config.ts'
import { formatTicket, TICKET_BYTES } from '../src/contract/ticket.ts'
import { createKeyedHash } from '../src/crypto/keyed-hash.ts'
import { createEncryptor } from '../src/crypto/age-file.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { ADDRESS_HASH_LABEL } from '../src/service/waitlist-entry.ts'
import { checkpointWal, openSqliteConnection } from '../src/storage/sqlite-connection.ts'
import { prepareWaitlist } from '../src/storage/sqlite-waitlist.ts'
import type { SealedRegistration } from '../src/storage/waitlist-store.ts'
import { fillDatabase } from './filled-database.ts'
import { normalizedAddress, plainEntry } from './registration-body.ts'
import type { Workspace } from './workspace.ts'

/** What rows of the benchmark are made with: the secrets that the servers have too. */
export interface RowMaker {
  readonly hashAddress: (normalized: string) => Uint8Array
  readonly recipient: string
  /** Length of a real registration's seal. */
  readonly sealedBytes: number
}

export function newTicket(): string {
  return formatTicket(randomBytes(TICKET_BYTES))
}

/** Opens the secrets of the workspace, and makes them when they are not there yet. */
export async function openRowMaker({ env, root }: Workspace): Promise<RowMaker> {
  const { secrets } = await openSecrets(inspectConfig(env, root).config, Date.now())
  const { waitlistRecipient: recipient, addressHashSecret } = secrets
  const sealed = await createEncryptor(recipient).encrypt(plainEntry(0, newTicket(), Date.now()))
  return {
    hashAddress: createKeyedHash(addressHashSecret, ADDRESS_HASH_LABEL),
    recipient,
    sealedBytes: sealed.length,
  }
}

const ROWS_PER_TRANSACTION = 10_000
const LOCK_WAIT_MS = 2000

/** Makes a database anew and puts rows on its list, with the product's own statement. */
export function fillList(
  file: string,
  batches: AsyncIterable<readonly SealedRegistration[]>,
): Promise<void> {
  return fillDatabase(file, batches, (database) => prepareWaitlist(database).add)
}

/** Takes away what came behind the first rows of a list that `makeRows` began; its service may have it open meanwhile. */
export function trimList(file: string, rows: number): void {
  const database = openSqliteConnection('read-write', { file })
  try {
    database.prepare('DELETE FROM registrations WHERE position > ?').run(rows)
    checkpointWal(database, LOCK_WAIT_MS, LOCK_WAIT_MS)
  } finally {
    database.close()
  }
}

/**
 * Rows as a service would have them after so many registrations, but that random bytes stand in for what is sealed: no
 * write and no read of the service looks into them. The addresses are those of the numbers from 0.
 */
export async function* makeRows(
  maker: RowMaker,
  rows: number,
  onProgress: (made: number) => void,
): AsyncGenerator<readonly SealedRegistration[]> {
  const { hashAddress, recipient, sealedBytes } = maker
  const beganMs = Date.now() - rows
  for (let first = 0; first < rows; first += ROWS_PER_TRANSACTION) {
    const count = Math.min(ROWS_PER_TRANSACTION, rows - first)
    yield Array.from({ length: count }, (_, index) => ({
      ticket: newTicket(),
      addressHash: hashAddress(normalizedAddress(first + index)),
      recipient,
      sealed: randomBytes(sealedBytes),
      registeredAtMs: beganMs + first + index,
    }))
    onProgress(first + count)
    // Signals are heard between two batches.
    await nextTurn()
  }
}
