import { openSqlite } from '../../../src/storage/sqlite/sqlite-storage.ts'

// Opens the database that the first argument names to read it, and prints how many registrations it holds.

const [, , file = ''] = process.argv
const storage = await openSqlite('read-only', { file })
const { total } = await storage.waitlist.count()
await storage.close()
process.stdout.write(String(total))
