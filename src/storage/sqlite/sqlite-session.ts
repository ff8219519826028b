import fs from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { messageOf } from '@public-api/contract/errors/error-message'
import { StorageError, type StorageFailure } from '../stores/storage-error.ts'
import type { StorageMode } from '../stores/storage.ts'
import { type StoreCall, stepsOf } from '../stores/store-calls.ts'
import { createStoreSteps, type SqlStatement } from '../stores/store-steps.ts'
import {
  checkpointWal,
  openSqliteConnection,
  type SqliteOptions,
  toStorageError,
} from './sqlite-connection.ts'
import { inTransaction } from './sqlite-migrations.ts'

/** The methods of the stores. `ends_at_ms` is stored, because a generated column breaks VACUUM INTO (sqlite-migrations.ts). */
const STEPS = createStoreSteps({
  schema: 'main',
  recipient: {
    column: 'recipient_id',
    text: '(SELECT recipient FROM main.recipients WHERE id = recipient_id)',
    of: (parameter) => `(SELECT id FROM main.recipients WHERE recipient = ${parameter})`,
    add: 'INSERT INTO main.recipients (recipient) VALUES ($1) ON CONFLICT DO NOTHING',
  },
  keyEnd: {
    ofNew: ', min($6, coalesce($7, $6))',
    ofRevoked: ', ends_at_ms = min(expires_at_ms, coalesce(revoked_at_ms, $1))',
  },
})

/** Runs calls in an open transaction. Prepares each statement once. */
function createCallRunner(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>()

  function query({ sql, values }: SqlStatement): readonly object[] {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, statement)
    return statement.all(Object.fromEntries(values.map((value, index) => [`$${index + 1}`, value])))
  }

  return (call: StoreCall): unknown => {
    const steps = stepsOf(STEPS, call)
    let step = steps.next([])
    while (step.done !== true) step = steps.next(query(step.value))
    return step.value
  }
}

/** The outcome of a call. A failure is plain data, since an error loses its class between threads. */
export type CallOutcome =
  | { readonly value: unknown }
  | { readonly failure: StorageFailure; readonly detail: string }

const MISSING_FILE = 'missing'

/** Identifies a file, so that its replacement by another file of the same name can be detected. */
function readFileIdentity(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true })
  return stats === undefined ? MISSING_FILE : `${stats.dev}:${stats.ino}`
}

/** The identities of the files of a write-ahead log (WAL); contains MISSING_FILE if one of them is missing. */
function readWalIdentity(file: string): string {
  return `${readFileIdentity(`${file}-wal`)} ${readFileIdentity(`${file}-shm`)}`
}

/** Opens a connection. It is stale once one of the files that the identities name is replaced. */
function connect(mode: StorageMode, options: SqliteOptions) {
  const database = openSqliteConnection(mode, options)
  return {
    database,
    perform: createCallRunner(database),
    databaseIdentity: readFileIdentity(options.file),
    walIdentity: readWalIdentity(options.file),
  }
}

type Connection = ReturnType<typeof connect>

/** Splits a queue into transactions. Reads wait for no lock; an erasure is refused while a reader uses the WAL. */
function groupIntoTransactions(calls: readonly StoreCall[]): readonly (readonly StoreCall[])[] {
  const transactions: StoreCall[][] = []
  let previous: StoreCall['effect'] | undefined
  for (const call of calls) {
    const effect = call.effect === 'replace' ? 'write' : call.effect
    if (effect === previous && effect !== 'erase') transactions.at(-1)?.push(call)
    else transactions.push([call])
    previous = effect
  }
  return transactions
}

/** Whether a failure has a cause outside the connection. */
function hasOutsideCause({ code }: StorageError): boolean {
  return code === 'LOCKED' || code === 'FULL'
}

/** One connection at a time to one database, opened by the first call. Calls block the thread. */
export function createSqliteSession(mode: StorageMode, options: SqliteOptions) {
  const { file } = options
  let connection: Connection | undefined
  /** The last call failed, possibly because of the connection. */
  let isSuspect = false
  /** Deleted content may still be in the WAL. */
  let isCheckpointPending = false

  function disconnect(): void {
    const { database } = connection ?? {}
    connection = undefined
    isSuspect = false
    try {
      database?.close()
    } catch {
      // Committed transactions are in the WAL, where the next connection finds them.
    }
  }

  /**
   * Empties the WAL of a connection whose files were unlinked, moved or replaced. An unlinked WAL is visible only to
   * connections that have it open. A WAL that stays in place would be applied to the file that replaced its database
   * (https://sqlite.org/howtocorrupt.html, section 1.4).
   */
  function leave({ database }: Connection): void {
    try {
      checkpointWal(database, false)
    } catch {
      // Closing the connection tries the checkpoint again.
    }
    disconnect()
  }

  function isCurrent({ databaseIdentity, walIdentity }: Connection): boolean {
    const walNow = readWalIdentity(file)
    // Other processes would start a second WAL beside one that was unlinked.
    const isUnlinked = mode !== 'read-only' && walNow.includes(MISSING_FILE)
    return databaseIdentity === readFileIdentity(file) && walIdentity === walNow && !isUnlinked
  }

  /** Only a new row may create a database. If the file was moved away, a lookup fails and reports no unknown keys. */
  function connected(canCreate: boolean): Connection {
    // Rows written to an unlinked file would be lost.
    if (connection !== undefined && !isCurrent(connection)) leave(connection)
    connection ??= connect(mode === 'create' && !canCreate ? 'read-write' : mode, options)
    return connection
  }

  function checkpointIfPending({ database }: Connection, waits: boolean): void {
    if (!isCheckpointPending) return
    try {
      isCheckpointPending = !checkpointWal(database, waits)
    } catch {
      // Does not change the outcome of the calls. Retried after the next calls.
    }
  }

  function runTransaction(calls: readonly StoreCall[]): readonly CallOutcome[] {
    const effects = new Set(calls.map(({ effect }) => effect))
    try {
      // A reader that uses the WAL would keep the row in it, so the erasure is refused before it starts.
      if (effects.has('erase') && !checkpointWal(connected(false).database, true)) {
        throw new StorageError('LOCKED', file)
      }
      const current = connected(calls.some(({ name }) => name === 'add'))
      const { database, perform, databaseIdentity } = current
      try {
        // A transaction that starts as a reader fails when another process writes before it does.
        const begin = effects.has('read') ? 'BEGIN' : 'BEGIN IMMEDIATE'
        const values = inTransaction(database, begin, () => calls.map(perform))
        if (readFileIdentity(file) !== databaseIdentity) throw new StorageError('IO', file)
        const removes = effects.has('erase') || effects.has('replace')
        isCheckpointPending ||= removes
        checkpointIfPending(current, removes)
        isSuspect = false
        return values.map((value) => ({ value }))
      } catch (error) {
        // The next start must not find a partly written commit in the WAL. On a full disk this also frees space.
        isCheckpointPending ||= toStorageError(error, file).code !== 'LOCKED'
        checkpointIfPending(current, false)
        throw error
      }
    } catch (error) {
      const failure = toStorageError(error, file)
      if (!hasOutsideCause(failure)) {
        // Kept after the first failure, because its next commit overwrites a partly written one in the WAL.
        if (isSuspect) disconnect()
        else isSuspect = true
      }
      const { code, cause, message } = failure
      return calls.map(() => ({ failure: code, detail: messageOf(cause ?? message) }))
    }
  }

  return {
    /**
     * Runs calls in order. Neighboring reads share a transaction, and so do neighboring writes, with one sync of the disk.
     * Returns one outcome for each call. Calls of one transaction fail together, and then none of them changed anything.
     * After two failures in a row that may be the connection's fault, the next call opens a new one.
     */
    run(calls: readonly StoreCall[]): readonly CallOutcome[] {
      return groupIntoTransactions(calls).flatMap(runTransaction)
    },

    /** Checkpoints the write-ahead log (WAL) and closes the files. */
    close(): void {
      // The last connection deletes the WAL when it closes. Otherwise it is at least checkpointed.
      isCheckpointPending = mode !== 'read-only'
      if (connection !== undefined) checkpointIfPending(connection, false)
      disconnect()
    },
  }
}
