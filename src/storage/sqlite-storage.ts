import { existsSync } from 'node:fs'

import { type AvailabilityOptions, retryOpening } from './availability.ts'
import { openSqliteConnection, type SqliteMode, type SqliteOptions } from './sqlite-connection.ts'
import { createKeyReader } from './sqlite-key-reader.ts'
import { createSqliteSession } from './sqlite-session.ts'
import { createSqliteThread } from './sqlite-thread.ts'
import { StorageError } from './storage-error.ts'
import type { Storage } from './storage.ts'
import { createStores, type StoreCall } from './store-calls.ts'

/** Deletes the write-ahead log (WAL) of a database that no other process has open. A reader cannot do that. */
function removeWal(options: SqliteOptions): void {
  try {
    openSqliteConnection('create', { ...options, busyTimeoutMs: 0 }).close()
  } catch {
    // The next process that opens the database does it.
  }
}

/** The transient reason why the database cannot be opened now; undefined if it can. Throws permanent failures. */
function openOnce(options: SqliteOptions, canWait: boolean): StorageError | undefined {
  try {
    openSqliteConnection('create', options).close()
    return undefined
  } catch (error) {
    if (canWait && error instanceof StorageError && error.isTransient) return error
    throw error
  }
}

/**
 * Opens the embedded database for a server and creates it, with its folder, when it is missing. Writes run in a thread of
 * their own, since SQLite blocks while it waits for the disk and for locks. Keys are looked up in the serving thread: a
 * reader of a WAL waits for no writer, and a look-up takes microseconds.
 *
 * A database that existed before may be unavailable at the start. A new one must be created first, which shows that data can
 * be stored at all. Rejects with a StorageError.
 */
export async function openSqliteServer(
  options: SqliteOptions & AvailabilityOptions,
): Promise<Storage> {
  const { onUnavailable, onRecovered, ...connection } = options
  const canWait = onUnavailable !== undefined && existsSync(options.file)
  const failure = openOnce(connection, canWait)
  const thread = createSqliteThread(connection)
  const stores = createStores((call) => thread.send(call))
  // Any call makes the writer open the database and restore missing files of the WAL.
  const restoreWal = () => stores.apiKeys.find('')
  const reader = createKeyReader(connection, restoreWal)
  let stopRetrying = () => {}
  if (failure !== undefined) {
    onUnavailable?.(failure)
    stopRetrying = retryOpening(restoreWal, options)
  }
  return {
    waitlist: stores.waitlist,
    apiKeys: { ...stores.apiKeys, find: async (keyId) => reader.find(keyId) },
    async ping() {
      reader.find('')
    },
    async close() {
      stopRetrying()
      const hasRead = reader.close()
      await thread.close()
      if (hasRead) removeWal(connection)
    },
  }
}

/**
 * Opens the embedded database in this thread, for commands. Calls block while they wait for the disk and for locks. Rejects
 * with a StorageError: MISSING (unless `mode` is `create`), NEWER, OLDER (`read-only` never migrates), NOT_A_DATABASE, or a
 * failure of the disk.
 */
export async function openSqliteInThread(
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
  const stores = createStores(run)
  return {
    ...stores,
    async ping() {
      await stores.apiKeys.find('')
    },
    async close() {
      if (isClosed) return
      isClosed = true
      session.close()
    },
  }
}
