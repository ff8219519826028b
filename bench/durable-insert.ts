import { randomBytes } from 'node:crypto'
import { formatTicket, TICKET_BYTES } from '../src/contract/ticket.ts'
import { openSqliteConnection } from '../src/storage/sqlite-connection.ts'
import { prepareWaitlist } from '../src/storage/sqlite-waitlist.ts'
import { spreadOf } from './statistics.ts'

// What the durable write of one row costs by itself: the product's connection and its statement on random bytes, one
// transaction a row, in a process that does nothing else. Arguments: the file, the bytes of a seal, how many rows. Tells
// the median of the milliseconds.

/** Until here statements are compiled and the log is laid out. */
const WARM_UP_ROWS = 50

const [file = '', sealedBytes, rows] = process.argv.slice(2)
const database = openSqliteConnection('read-write', { file })
const waitlist = prepareWaitlist(database)
const latenciesMs: number[] = []
for (let row = 0; row < WARM_UP_ROWS + Number(rows); row += 1) {
  const registration = {
    ticket: formatTicket(randomBytes(TICKET_BYTES)),
    addressHash: randomBytes(32),
    recipient: 'age1bench',
    sealed: randomBytes(Number(sealedBytes)),
    registeredAtMs: Date.now(),
  }
  const startedMs = performance.now()
  database.exec('BEGIN IMMEDIATE')
  waitlist.add(registration)
  database.exec('COMMIT')
  latenciesMs.push(performance.now() - startedMs)
}
database.close()
const { median } = spreadOf(latenciesMs.slice(WARM_UP_ROWS))
process.stdout.write(`${JSON.stringify({ medianMs: median })}\n`)
