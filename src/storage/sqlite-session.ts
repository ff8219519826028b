import fs from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

import { isReading, performCall, type WaitlistCall } from './sqlite-calls.ts'
import {
  DEFAULT_BUSY_TIMEOUT_MS,
  emptyLog,
  openSqliteConnection,
  type SqliteMode,
  type SqliteOptions,
} from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { rollBack } from './sqlite-migrations.ts'
import { prepareWaitlist, type WaitlistStatements } from './sqlite-waitlist.ts'
import { StorageError } from './storage.ts'

/** One connection at a time to one database, opened when it is needed. It blocks the thread that it runs in. */
export interface SqliteSession {
  /** Opens the connection now and not at the first call. Throws a StorageError. */
  open(): void
  /**
   * Runs calls in order: those between two erasures in one transaction, so that one sync of the disk is shared by them
   * all. Returns one outcome for each call. Calls of one transaction fail together, and then none of them changed
   * anything. The call after a failure starts with a new connection where the old one may be at fault.
   */
  run(calls: readonly WaitlistCall[]): readonly CallOutcome[]
  /** Writes the log back into the database and lets go of the files. */
  close(): void
}

export type CallOutcome = { readonly value: unknown } | { readonly error: StorageError }

/** What a connection has to do with: gone, when another file stands in its place. */
interface Connection {
  readonly database: DatabaseSync
  readonly waitlist: WaitlistStatements
  readonly databaseIdentity: string
  readonly logIdentity: string
}

/** Tells one file from another that has taken its name. */
function identityOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? 'missing' : `${stats.dev}:${stats.ino}`
}

function logIdentityOf(file: string): string {
  return `${identityOf(`${file}-wal`)} ${identityOf(`${file}-shm`)}`
}

/** The transactions that a queue becomes: an erasure stands alone, as it may be refused for the log's sake. */
function transactionsOf(calls: readonly WaitlistCall[]): readonly (readonly WaitlistCall[])[] {
  const transactions: WaitlistCall[][] = []
  for (const [index, call] of calls.entries()) {
    const startsAnother = index === 0 || call.name === 'erase' || calls[index - 1]?.name === 'erase'
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
  /** Something was taken out of the database and may stand in its log still. */
  let isLogOwed = false

  function connect(): Connection {
    const database = openSqliteConnection(mode, options)
    try {
      return {
        database,
        waitlist: prepareWaitlist(database),
        databaseIdentity: identityOf(file),
        logIdentity: logIdentityOf(file),
      }
    } catch (error) {
      database.close()
      throw error
    }
  }

  function disconnect(): void {
    const { database } = connection ?? {}
    connection = undefined
    isSuspect = false
    try {
      database?.close()
    } catch {
      // What was committed is in the log, and the next connection finds it there.
    }
  }

  function connected(): Connection {
    // A file that was taken away would go on accepting rows that nobody will find again.
    if (
      connection !== undefined &&
      (connection.databaseIdentity !== identityOf(file) ||
        connection.logIdentity !== logIdentityOf(file))
    ) {
      disconnect()
    }
    connection ??= connect()
    return connection
  }

  function begin(calls: readonly WaitlistCall[]): Connection {
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

  function emptyOwedLog({ database }: Connection, waitMs: number): void {
    if (!isLogOwed) return
    try {
      isLogOwed = !emptyLog(database, waitMs, busyTimeoutMs)
    } catch {
      // The calls are answered as they ended; what is owed is tried again after the next ones.
    }
  }

  function runTransaction(calls: readonly WaitlistCall[]): readonly CallOutcome[] {
    try {
      const isErasing = calls.some(({ name }) => name === 'erase')
      // A reader that holds on to the log would keep the row in it: then the erasure is refused while nothing is done.
      if (isErasing && !emptyLog(connected().database, busyTimeoutMs, busyTimeoutMs)) {
        throw new StorageError('LOCKED', file)
      }
      const current = begin(calls)
      const { database, waitlist, databaseIdentity } = current
      try {
        const values = calls.map((call) => performCall(waitlist, call))
        database.exec('COMMIT')
        if (identityOf(file) !== databaseIdentity) throw new StorageError('IO', file)
        const isTakingAway = isErasing || calls.some(({ name }) => name === 'reseal')
        isLogOwed ||= isTakingAway
        emptyOwedLog(current, isTakingAway ? busyTimeoutMs : 0)
        isSuspect = false
        return values.map((value) => ({ value }))
      } catch (error) {
        rollBack(database)
        // A commit that failed half-way must not be found in the log at the next start; a full disk may gain room too.
        isLogOwed ||= storageErrorOf(error, file).code !== 'LOCKED'
        emptyOwedLog(current, 0)
        throw error
      }
    } catch (error) {
      const failure = storageErrorOf(error, file)
      if (!isOutsideFault(failure)) {
        // Kept once, as its next commit writes over what the failed one may have left in the log.
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
      // The last connection takes the log away as it closes. For the others' sake it is written back at least.
      isLogOwed = mode !== 'read-only'
      if (connection !== undefined) emptyOwedLog(connection, 0)
      disconnect()
    },
  }
}
