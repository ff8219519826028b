import { existsSync } from 'node:fs'

import { type AvailabilityOptions, retryOpening } from './availability.ts'
import { openSqliteConnection, type SqliteMode, type SqliteOptions } from './sqlite-connection.ts'
import { createSqliteSession } from './sqlite-session.ts'
import { createSqliteThread } from './sqlite-thread.ts'
import { StorageError } from './storage-error.ts'
import type { Storage } from './storage.ts'
import { createStores, type StoreCall } from './store-calls.ts'

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
 * Opens the embedded database for a server and creates it, with its folder, when it is missing. Calls run in a thread
 * of their own, since SQLite blocks while it waits for the disk and for locks.
 *
 * An existing database may be unavailable at the start. A new database must be created at the start, which proves that
 * data can be stored. Rejects with a StorageError.
 */
export async function openSqliteServer(
  options: SqliteOptions & AvailabilityOptions,
): Promise<Storage> {
  const { onUnavailable, onRecovered, ...connection } = options
  const canWait = onUnavailable !== undefined && existsSync(options.file)
  const failure = openOnce(connection, canWait)
  const thread = createSqliteThread(connection)
  const stores = createStores((call) => thread.send(call))
  async function ping(): Promise<void> {
    await stores.apiKeys.find('')
  }
  let stopRetrying = () => {}
  if (failure !== undefined) {
    onUnavailable?.(failure)
    stopRetrying = retryOpening(ping, options)
  }
  return {
    ...stores,
    ping,
    async close() {
      stopRetrying()
      await thread.close()
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
