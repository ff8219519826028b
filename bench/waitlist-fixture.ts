import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspectConfig } from '../src/config.ts'
import { parseEmailAddress } from '../src/contract/email-address.ts'
import { formatTicket, TICKET_BYTES } from '../src/contract/ticket.ts'
import { createKeyedHash } from '../src/crypto/keyed-hash.ts'
import { createEncryptor } from '../src/crypto/age-file.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { TEST_TOKEN } from '../src/service/test-challenge.ts'
import { ADDRESS_HASH_LABEL } from '../src/service/waitlist-entry.ts'
import { checkpointWal, openSqliteConnection } from '../src/storage/sqlite-connection.ts'
import { prepareWaitlist } from '../src/storage/sqlite-waitlist.ts'
import { syncFile } from '../src/storage/sync-folder.ts'
import { NUMBER_PLACEHOLDER, numbered } from './load.ts'
import type { Workspace } from './workspace.ts'

/** Secrets of the measured servers, for fixture rows. */
interface RowMaker {
  readonly hashAddress: (normalized: string) => Uint8Array
  readonly recipient: string
  /** Length of a sealed registration. */
  readonly sealedBytes: number
}

const ROWS_PER_TRANSACTION = 10_000
const LOCK_WAIT_MS = 2000
/** About the length of a registration before it is encrypted. */
const PLAIN_BYTES = 250
/** Large enough for the index of a million rows, which is written in random order. */
const FILL_CACHE_KIB = 262_144

const EMAIL = `reader-${NUMBER_PLACEHOLDER}@bench.example`

/** A registration's body, with NUMBER_PLACEHOLDER in its address. */
export const REGISTRATION_BODY: string = JSON.stringify({
  email: EMAIL,
  locale: 'en',
  interests: ['api', 'research'],
  useCase: 'I would like to check what you publish.',
  consent: true,
  challengeToken: TEST_TOKEN,
})

/** The address of a number, as the service hashes it. */
function normalizedAddress(number: number): string {
  const address = parseEmailAddress(numbered(EMAIL, number))
  if (address === undefined) throw new Error('expected an email address')
  return address.normalized
}

/** Opens the secrets of the workspace, and creates them on first use. */
export async function openRowMaker({ env, root }: Workspace): Promise<RowMaker> {
  const { secrets } = await openSecrets(inspectConfig(env, root).config, Date.now())
  const { waitlistRecipient: recipient, addressHashSecret } = secrets
  const sealed = await createEncryptor(recipient).encrypt(new Uint8Array(PLAIN_BYTES))
  return {
    hashAddress: createKeyedHash(addressHashSecret, ADDRESS_HASH_LABEL),
    recipient,
    sealedBytes: sealed.length,
  }
}

/**
 * Creates a database with the product's migrations and a waitlist of this length, addresses numbered from 0. The sealed
 * part is random bytes of the right length: no write and no read of the service looks into it.
 */
export async function fillWaitlist(
  file: string,
  { hashAddress, recipient, sealedBytes }: RowMaker,
  rows: number,
  onProgress: (made: number) => void,
): Promise<void> {
  const database = openSqliteConnection('create', { file })
  const beganMs = Date.now() - rows
  try {
    database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${FILL_CACHE_KIB}`)
    const { add } = prepareWaitlist(database)
    for (let first = 0; first < rows; first += ROWS_PER_TRANSACTION) {
      const end = Math.min(rows, first + ROWS_PER_TRANSACTION)
      database.exec('BEGIN IMMEDIATE')
      for (let number = first; number < end; number += 1) {
        add({
          ticket: formatTicket(randomBytes(TICKET_BYTES)),
          addressHash: hashAddress(normalizedAddress(number)),
          recipient,
          sealed: randomBytes(sealedBytes),
          registeredAtMs: beganMs + number,
        })
      }
      database.exec('COMMIT')
      onProgress(end)
      // Lets signal handlers run between two batches.
      await nextTurn()
    }
  } finally {
    database.close()
  }
  syncFile(file)
}

/** Deletes the rows added after the fixture's. Its service may have the database open. */
export function trimWaitlist(file: string, rows: number): void {
  const database = openSqliteConnection('read-write', { file })
  try {
    database.prepare('DELETE FROM registrations WHERE position > ?').run(rows)
    checkpointWal(database, LOCK_WAIT_MS, LOCK_WAIT_MS)
  } finally {
    database.close()
  }
}
