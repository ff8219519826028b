import { randomBytes } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { syncFile } from '@public-api/client-internal/node/durable-file'
import { parseEmailAddress } from '@public-api/contract/waitlist/email-address'
import { formatTicket, TICKET_BYTES } from '@public-api/contract/waitlist/ticket'
import { inspectConfig } from '../src/config.ts'
import { createEncryptor } from '../src/crypto/age-file.ts'
import { createKeyedHash } from '../src/crypto/keyed-hash.ts'
import { openSecrets } from '../src/local-secrets.ts'
import { TEST_TOKEN } from '../src/service/challenge/challenge.ts'
import { ADDRESS_HASH_LABEL } from '../src/service/waitlist/waitlist-entry.ts'
import { checkpointWal, openSqliteConnection } from '../src/storage/sqlite/sqlite-connection.ts'
import { createCallRunner } from '../src/storage/sqlite/sqlite-session.ts'
import type { Workspace } from './workspace.ts'

const ROWS_PER_TRANSACTION = 10_000
/** About the length of a registration before it is encrypted. */
const PLAIN_BYTES = 250
/** Large enough for the index of a million rows, which is written in random order. */
const FILL_CACHE_KIB = 262_144

function emailOf(number: number): string {
  return `reader-${String(number).padStart(8, '0')}@bench.example`
}

/** The body of the registration of an address. */
export function registrationBody(number: number): string {
  return JSON.stringify({
    email: emailOf(number),
    locale: 'en',
    interests: ['api', 'research'],
    useCase: 'I would like to check what you publish.',
    consent: true,
    challengeToken: TEST_TOKEN,
  })
}

/** The address of a number, as the service hashes it. */
function normalizedAddress(number: number): string {
  const address = parseEmailAddress(emailOf(number))
  if (address === undefined) throw new Error('expected an email address')
  return address.normalized
}

/**
 * Creates a database with the product's migrations and a waitlist of this length, addresses numbered from 0. The sealed
 * part is random bytes of the right length: no write and no read of the service looks into it.
 */
export async function fillWaitlist(
  { env, root }: Workspace,
  file: string,
  rows: number,
): Promise<void> {
  const { secrets } = await openSecrets(inspectConfig(env, root).config, Date.now())
  const { waitlistRecipient: recipient, addressHashSecret } = secrets
  const hashAddress = createKeyedHash(addressHashSecret, ADDRESS_HASH_LABEL)
  const sealed = await createEncryptor(recipient).encrypt(new Uint8Array(PLAIN_BYTES))
  const database = openSqliteConnection('create', { file })
  const beganMs = Date.now() - rows
  try {
    database.exec(`PRAGMA synchronous = OFF; PRAGMA cache_size = -${FILL_CACHE_KIB}`)
    const perform = createCallRunner(database)
    for (let first = 0; first < rows; first += ROWS_PER_TRANSACTION) {
      const end = Math.min(rows, first + ROWS_PER_TRANSACTION)
      database.exec('BEGIN IMMEDIATE')
      for (let number = first; number < end; number += 1) {
        const registration = {
          ticket: formatTicket(randomBytes(TICKET_BYTES)),
          addressHash: hashAddress(normalizedAddress(number)),
          recipient,
          sealed: randomBytes(sealed.length),
          registeredAtMs: beganMs + number,
        }
        perform({ store: 'waitlist', name: 'add', effect: 'write', args: [registration] })
      }
      database.exec('COMMIT')
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
    checkpointWal(database, true)
  } finally {
    database.close()
  }
}
