import { createApiKeyCalls } from './api-key-calls.ts'
import { openSqliteConnection, type SqliteOptions } from './sqlite-connection.ts'
import { createKeyReader } from './sqlite-key-reader.ts'
import { createSqliteThread } from './sqlite-thread.ts'
import { StorageError } from './storage-error.ts'
import type { Storage } from './storage.ts'
import { createWaitlistCalls } from './waitlist-calls.ts'

/** Takes away the write-ahead log (WAL) of a database that nobody else has open: one who only read cannot. */
function removeWal(options: SqliteOptions): void {
  try {
    openSqliteConnection('read-write', { ...options, busyTimeoutMs: 0 }).close()
  } catch {
    // Whoever opens the database next does it.
  }
}

/** What a server may ask for besides. */
export interface SqliteServerOptions extends SqliteOptions {
  /**
   * Told when the database cannot be opened for a reason that may go away (a lock, a full disk). It is opened all the
   * same, and tried again until it works or will never work; without this the opening rejects.
   */
  readonly onUnavailable?: (error: StorageError) => void
  /** Told once it works after all. */
  readonly onRecovered?: () => void
}

/** A database that could not be opened at the start is tried this often, and with each call. */
const RETRY_INTERVAL_MS = 5000

/** The reason why the database cannot be opened just now; undefined when it can. Throws what will not go away. */
function openOnce({ onUnavailable, ...options }: SqliteServerOptions): StorageError | undefined {
  try {
    openSqliteConnection('create', options).close()
    return undefined
  } catch (error) {
    if (onUnavailable !== undefined && error instanceof StorageError && error.isTransient)
      return error
    throw error
  }
}

/** Tries something until it works or fails for good. Returns how to stop it. */
function retry(
  attempt: () => Promise<unknown>,
  { onUnavailable, onRecovered }: SqliteServerOptions,
): () => void {
  let timer: NodeJS.Timeout | undefined
  function later(): void {
    timer = setTimeout(() => {
      attempt().then(
        () => onRecovered?.(),
        (error: unknown) => {
          if (error instanceof StorageError && error.isTransient) later()
          else if (error instanceof StorageError && error.code !== 'CLOSED') onUnavailable?.(error)
        },
      )
    }, RETRY_INTERVAL_MS)
    timer.unref()
  }
  later()
  return () => clearTimeout(timer)
}

/**
 * Opens the embedded database for a server, and makes it, with its folder, when it is missing. What is wrong with the
 * file shows here, as a StorageError. Later work is done in a thread of its own, since SQLite waits for the disk and for
 * locks, and the thread that serves readers must not. Keys alone are looked up in that thread: most requests with a key
 * ask for nothing else of the database, and a look-up waits for nobody.
 */
export async function openSqliteStorage(options: SqliteServerOptions): Promise<Storage> {
  const { onUnavailable, onRecovered, ...connection } = options
  const failure = openOnce(options)
  const thread = createSqliteThread(connection)
  // A call that does nothing: before it is run, the writer opens the database and sees to its files.
  const restoreWal = () => thread.send({ store: 'apiKeys', name: 'find', args: [''] })
  const reader = createKeyReader(connection, restoreWal)
  let stopRetrying = () => {}
  if (failure !== undefined) {
    onUnavailable?.(failure)
    // In the thread, which is where a lock is waited for.
    stopRetrying = retry(restoreWal, options)
  }
  return {
    waitlist: createWaitlistCalls((call) => thread.send(call)),
    apiKeys: {
      ...createApiKeyCalls((call) => thread.send(call)),
      find: async (keyId) => reader.find(keyId),
      revision: () => reader.revision(),
    },
    async close() {
      stopRetrying()
      const hasRead = reader.close()
      await thread.close()
      if (hasRead) removeWal(connection)
    },
  }
}
