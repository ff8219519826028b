import { createWaitlistCalls } from './sqlite-calls.ts'
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts'
import { createSqliteThread } from './sqlite-thread.ts'
import type { Storage } from './storage.ts'

/**
 * Opens the embedded database for a server, and makes it, with its folder, when it is missing. What is wrong with the
 * file shows here, as a StorageError. Later work is done in a thread of its own, since SQLite waits for the disk and for
 * locks, and the thread that serves readers must not.
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  openSqliteConnection('create', options).close()
  const thread = createSqliteThread(options)
  return {
    waitlist: createWaitlistCalls((call) => thread.send(call)),
    close: () => thread.close(),
  }
}
