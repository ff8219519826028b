import type { DatabaseSync } from 'node:sqlite'

import { identityOf, MISSING_FILE, walIdentityOf } from './file-identity.ts'
import { prepareFind, type ApiKeyStatements } from './sqlite-api-keys.ts'
import { openBesideWriters, preparedOn, type SqliteOptions } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { StorageError } from './storage-error.ts'

/** Looks keys up in the thread that serves, in microseconds. */
export interface KeyReader {
  /** The key with this id. Throws a StorageError. */
  readonly find: ApiKeyStatements['find']
  /**
   * Another number once anything was committed to the database, by whatever process, or another database is read. What is
   * found after this was asked is as new as this, or newer. Throws a StorageError.
   */
  revision(): number
  /** Lets go of the files; false when there were none to let go of. Later calls throw CLOSED. */
  close(): boolean
}

/**
 * How often it is looked whether the database is still the file of its name, and whether the files beside it are: only
 * someone's hand takes them away while they are in use. With every look-up the first would cost half as much as that.
 */
const PLACE_CHECK_INTERVAL_MS = 10
const WAL_CHECK_INTERVAL_MS = 100

/** A connection with the files that it reads. */
interface Connection {
  readonly database: DatabaseSync
  readonly find: ApiKeyStatements['find']
  readonly readDataVersion: () => number
  dataVersion: number
  readonly databaseIdentity: string
  readonly walIdentity: string
  placeCheckedAtMs: number
  walCheckedAtMs: number
}

/**
 * Reads what SQLite counts of the commits that others made: the documented way to hear of them
 * (https://sqlite.org/pragma.html#pragma_data_version). It begins a read transaction as a `find` does, so it sees as much, and it looks at no row.
 */
function prepareDataVersion(database: DatabaseSync): () => number {
  const statement = database.prepare('PRAGMA data_version')
  statement.setReturnArrays(true)
  return () => Number((statement.get() as unknown as readonly unknown[] | undefined)?.[0])
}

/**
 * Prepares a reader; no file is touched before the first `find`. Nothing is kept between two calls but pages that SQLite
 * knows to be unchanged, so each sees what any process committed before it; what was found may be kept by others for as
 * long as `revision` stays the same. Readers of a write-ahead log (WAL) wait for no
 * writer, and for the few other locks this one does not wait either: it fails. After a failure, and soon
 * after another file came to stand in the place of the database, it opens anew.
 *
 * When the WAL is taken away, what is in it is known to those alone who have it open. Whoever opened the database then would
 * begin another WAL, so this reader lets go and fails until `restoreWal`, which is to have the writer see to it, has settled.
 *
 * No memory map: to read one behind the end of a file that was cut short ends the process.
 */
export function createKeyReader(
  { file }: SqliteOptions,
  restoreWal: () => Promise<unknown>,
): KeyReader {
  let connection: Connection | undefined
  let revision = 0
  let isMending = false
  let isClosed = false

  function connect(): Connection {
    // What another connection counted means nothing to this one.
    revision += 1
    return preparedOn(openBesideWriters(file), (database) => {
      const nowMs = performance.now()
      const readDataVersion = prepareDataVersion(database)
      return {
        database,
        find: prepareFind(database),
        readDataVersion,
        dataVersion: readDataVersion(),
        databaseIdentity: identityOf(file),
        walIdentity: walIdentityOf(file),
        placeCheckedAtMs: nowMs,
        walCheckedAtMs: nowMs,
      }
    })
  }

  function disconnect(): void {
    const { database } = connection ?? {}
    connection = undefined
    try {
      database?.close()
    } catch {
      // It has written nothing that could be lost.
    }
  }

  async function mend(): Promise<void> {
    isMending = true
    try {
      await restoreWal()
    } catch {
      // The next attempt to open the database tells what is wrong.
    } finally {
      isMending = false
    }
  }

  /** Lets go of what was replaced or taken away. */
  function checkPlace(current: Connection): void {
    const nowMs = performance.now()
    if (nowMs - current.placeCheckedAtMs < PLACE_CHECK_INTERVAL_MS) return
    current.placeCheckedAtMs = nowMs
    if (current.databaseIdentity !== identityOf(file)) {
      disconnect()
      return
    }
    if (nowMs - current.walCheckedAtMs < WAL_CHECK_INTERVAL_MS) return
    current.walCheckedAtMs = nowMs
    const found = walIdentityOf(file)
    if (found.includes(MISSING_FILE)) {
      disconnect()
      void mend()
    } else if (found !== current.walIdentity) disconnect()
  }

  function attempt<Answer>(ask: (current: Connection) => Answer): Answer {
    if (connection !== undefined) checkPlace(connection)
    if (isMending) throw new StorageError('IO', `${file}-wal`)
    connection ??= connect()
    return ask(connection)
  }

  function read<Answer>(ask: (current: Connection) => Answer): Answer {
    if (isClosed) throw new StorageError('CLOSED', file)
    const wasConnected = connection !== undefined
    try {
      return attempt(ask)
    } catch (error) {
      disconnect()
      const failure = storageErrorOf(error, file)
      if (!wasConnected || failure.code === 'LOCKED') throw failure
    }
    // What failed may have been the connection alone, which was opened to the files of a while ago.
    try {
      return attempt(ask)
    } catch (error) {
      disconnect()
      throw storageErrorOf(error, file)
    }
  }

  function readRevision(current: Connection): number {
    const dataVersion = current.readDataVersion()
    if (dataVersion !== current.dataVersion) revision += 1
    current.dataVersion = dataVersion
    return revision
  }

  return {
    find: (keyId) => read((current) => current.find(keyId)),

    revision: () => read(readRevision),

    close() {
      isClosed = true
      const wasConnected = connection !== undefined
      disconnect()
      return wasConnected
    },
  }
}
