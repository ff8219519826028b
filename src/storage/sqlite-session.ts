import type { DatabaseSync } from 'node:sqlite'

import { identityOf, MISSING_FILE, walIdentityOf } from './file-identity.ts'
import {
  isErasing,
  isReading,
  isTakingAway,
  performCall,
  prepareStatements,
  type StoreCall,
  type StoreStatements,
} from './sqlite-calls.ts'
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  checkpointWal,
  openSqliteConnection,
  preparedOn,
  type SqliteMode,
  type SqliteOptions,
} from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { rollBack } from './sqlite-migrations.ts'
import { StorageError } from './storage-error.ts'

/** One connection at a time to one database, opened when it is needed. It blocks the thread that it runs in. */
export interface SqliteSession {
  /** Opens the connection now and not at the first call. Throws a StorageError. */
  open(): void
  /**
   * Runs calls in order: those between two erasures in one transaction, so that one sync of the disk is shared by them
   * all. Returns one outcome for each call. Calls of one transaction fail together, and then none of them changed
   * anything. The call after a failure starts with a new connection where the old one may be at fault.
   */
  run(calls: readonly StoreCall[]): readonly CallOutcome[]
  /** Checkpoints the write-ahead log (WAL) and lets go of the files. */
  close(): void
}

export type CallOutcome = { readonly value: unknown } | { readonly error: StorageError }

/** What a connection has to do with: gone, when another file stands in its place. */
interface Connection {
  readonly database: DatabaseSync
  readonly statements: StoreStatements
  readonly databaseIdentity: string
  readonly walIdentity: string
}

/** The transactions that a queue becomes: an erasure stands alone, as it may be refused for the WAL's sake. */
function transactionsOf(calls: readonly StoreCall[]): readonly (readonly StoreCall[])[] {
  const transactions: StoreCall[][] = []
  for (const [index, call] of calls.entries()) {
    const previous = calls[index - 1]
    const startsAnother = previous === undefined || isErasing(call) || isErasing(previous)
    if (startsAnother) transactions.push([call])
    else transactions.at(-1)?.push(call)
  }
  return transactions
}

/** Whether a failure says nothing against the connection that met it. */
function isOutsideFault({ code }: StorageError): boolean {
  return code === 'LOCKED' || code === 'FULL'
}

/** Prepares a session; no file is touched before `open` or the first call. */
export function createSqliteSession(mode: SqliteMode, options: SqliteOptions): SqliteSession {
  const { file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS } = options
  let connection: Connection | undefined
  /** A call failed on this connection in a way that may be its own fault. */
  let isSuspect = false
  /** Something was taken out of the database and may stand in its WAL still. */
  let isCheckpointOwed = false

  function connect(): Connection {
    return preparedOn(openSqliteConnection(mode, options), (database) => ({
      database,
      statements: prepareStatements(database),
      databaseIdentity: identityOf(file),
      walIdentity: walIdentityOf(file),
    }))
  }

  function disconnect(): void {
    const { database } = connection ?? {}
    connection = undefined
    isSuspect = false
    try {
      database?.close()
    } catch {
      // What was committed is in the WAL, and the next connection finds it there.
    }
  }

  /**
   * A WAL whose name is gone is known to those alone who have it open: what is in it has to be in the database before it
   * is let go of. The last to close it would see to that, but a reader of keys may have it open still.
   */
  function checkpointNamelessWal({ database, databaseIdentity }: Connection): void {
    if (identityOf(`${file}-wal`) !== MISSING_FILE || identityOf(file) !== databaseIdentity) return
    try {
      checkpointWal(database, 0, busyTimeoutMs)
    } catch {
      // Closing tries it too.
    }
  }

  function isInPlace({ databaseIdentity, walIdentity }: Connection): boolean {
    const walNow = walIdentityOf(file)
    // A writer's WAL has a name, unless it was taken away while a reader of keys held on to it: others would begin another.
    const isNameless = mode !== 'read-only' && walNow.includes(MISSING_FILE)
    return databaseIdentity === identityOf(file) && walIdentity === walNow && !isNameless
  }

  function connected(): Connection {
    // A file that was taken away would go on accepting rows that nobody will find again.
    if (connection !== undefined && !isInPlace(connection)) {
      checkpointNamelessWal(connection)
      disconnect()
    }
    connection ??= connect()
    return connection
  }

  function begin(calls: readonly StoreCall[]): Connection {
    // A transaction that begins as a reader and then writes could find that another writer was faster.
    const statement = calls.every(isReading) ? 'BEGIN' : 'BEGIN IMMEDIATE'
    const first = connected()
    try {
      first.database.exec(statement)
      return first
    } catch (error) {
      if (isOutsideFault(storageErrorOf(error, file))) throw error
      // Nothing was asked of this connection yet, so it is no longer of use. One other is tried.
      disconnect()
      const second = connected()
      second.database.exec(statement)
      return second
    }
  }

  function checkpointIfOwed({ database }: Connection, waitMs: number): void {
    if (!isCheckpointOwed) return
    try {
      isCheckpointOwed = !checkpointWal(database, waitMs, busyTimeoutMs)
    } catch {
      // The calls are answered as they ended; what is owed is tried again after the next ones.
    }
  }

  function runTransaction(calls: readonly StoreCall[]): readonly CallOutcome[] {
    try {
      const erases = calls.some(isErasing)
      // A reader that holds on to the WAL would keep the row in it: then the erasure is refused while nothing is done.
      if (erases && !checkpointWal(connected().database, busyTimeoutMs, busyTimeoutMs)) {
        throw new StorageError('LOCKED', file)
      }
      const current = begin(calls)
      const { database, statements, databaseIdentity } = current
      try {
        const values = calls.map((call) => performCall(statements, call))
        database.exec('COMMIT')
        if (identityOf(file) !== databaseIdentity) throw new StorageError('IO', file)
        const takesAway = calls.some(isTakingAway)
        isCheckpointOwed ||= takesAway
        checkpointIfOwed(current, takesAway ? busyTimeoutMs : 0)
        isSuspect = false
        return values.map((value) => ({ value }))
      } catch (error) {
        rollBack(database)
        // A commit that failed half-way must not be found in the WAL at the next start; a full disk may gain room too.
        isCheckpointOwed ||= storageErrorOf(error, file).code !== 'LOCKED'
        checkpointIfOwed(current, 0)
        throw error
      }
    } catch (error) {
      const failure = storageErrorOf(error, file)
      if (!isOutsideFault(failure)) {
        // Kept once, as its next commit writes over what the failed one may have left in the WAL.
        if (isSuspect) disconnect()
        else isSuspect = true
      }
      return calls.map(() => ({ error: failure }))
    }
  }

  return {
    open() {
      connected()
    },

    run(calls) {
      return transactionsOf(calls).flatMap(runTransaction)
    },

    close() {
      // The last connection takes the WAL away as it closes. For the others' sake it is checkpointed at least.
      isCheckpointOwed = mode !== 'read-only'
      if (connection !== undefined) checkpointIfOwed(connection, 0)
      disconnect()
    },
  }
}
