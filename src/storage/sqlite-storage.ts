import { createApiKeyCalls } from './api-key-calls.ts'
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts'
import { createKeyReader } from './sqlite-key-reader.ts'
import { createSqliteThread } from './sqlite-thread.ts'
import type { Storage } from './storage.ts'
import { createWaitlistCalls } from './waitlist-calls.ts'

/** Takes away the log of a database that nobody else has open: one who only read cannot. */
function tidyLog(options: SqliteOptions): void {
  try {
    openSqliteConnection('read-write', { ...options, busyTimeoutMs: 0 }).close()
  } catch {
    // Whoever opens the database next does it.
  }
}

/**
 * Opens the embedded database for a server, and makes it, with its folder, when it is missing. What is wrong with the
 * file shows here, as a StorageError. Later work is done in a thread of its own, since SQLite waits for the disk and for
 * locks, and the thread that serves readers must not. Keys alone are looked up in that thread: most requests with a key
 * ask for nothing else of the database, and a look-up waits for nobody.
 */
export async function openSqliteStorage(options: SqliteOptions): Promise<Storage> {
  openSqliteConnection('create', options).close()
  const thread = createSqliteThread(options)
  // A call that does nothing: before it is run, the writer sees to its files.
  const mendLog = () => thread.send({ store: 'apiKeys', name: 'find', args: [''] })
  const reader = createKeyReader(options, mendLog)
  return {
    waitlist: createWaitlistCalls((call) => thread.send(call)),
    apiKeys: {
      ...createApiKeyCalls((call) => thread.send(call)),
      find: async (keyId) => reader.find(keyId),
    },
    async close() {
      const hasRead = reader.close()
      await thread.close()
      if (hasRead) tidyLog(options)
    },
  }
}
