import { createApiKeyCalls } from './api-key-calls.ts'
import type { StoreCall } from './sqlite-calls.ts'
import type { SqliteMode, SqliteOptions } from './sqlite-connection.ts'
import { createSqliteSession } from './sqlite-session.ts'
import { StorageError } from './storage-error.ts'
import type { Storage } from './storage.ts'
import { createWaitlistCalls } from './waitlist-calls.ts'

/**
 * Opens the database in this thread, which then waits for the disk and for locks: for the command line, and for nothing
 * that serves. Rejects with a StorageError: MISSING without a database (unless `create` makes one), NEWER, OLDER
 * (`read-only` alone, which never migrates), NOT_A_DATABASE, and what a disk or a lock may cause.
 */
export async function openSqliteStorageHere(
  options: SqliteOptions & { readonly mode: SqliteMode },
): Promise<Storage> {
  const { file, mode } = options
  const session = createSqliteSession(mode, options)
  session.open()
  let isClosed = false
  async function run(call: StoreCall): Promise<unknown> {
    if (isClosed) throw new StorageError('CLOSED', file)
    const [outcome] = session.run([call])
    if (outcome === undefined) throw new StorageError('IO', file)
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
  return {
    waitlist: createWaitlistCalls(run),
    apiKeys: createApiKeyCalls(run),
    async close() {
      if (isClosed) return
      isClosed = true
      session.close()
    },
  }
}
