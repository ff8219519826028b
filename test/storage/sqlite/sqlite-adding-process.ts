import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'
import { makeRegistration } from '../waitlist-fixture.ts'

// Opens the database that the first argument names, adds ten registrations and prints the results. It does not
// close the store: the process has to end by itself when all is answered.

const [, , file = ''] = process.argv
const storage = await openSqlite('create', { file, busyTimeoutMs: 10_000 })
const outcomes = await Promise.all(
  Array.from({ length: 10 }, (_, number) => storage.waitlist.add(makeRegistration(number))),
)
process.stdout.write(JSON.stringify(outcomes))
