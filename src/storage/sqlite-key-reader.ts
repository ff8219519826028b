import type { DatabaseSync } from 'node:sqlite'

import { identityOf } from './file-identity.ts'
import { prepareFind, type ApiKeyStatements } from './sqlite-api-keys.ts'
import { openBesideWriters, type SqliteOptions } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { StorageError } from './storage.ts'

/** Looks keys up in the thread that serves, in microseconds. */
export interface KeyReader {
  /** The key with this id. Throws a StorageError. */
  readonly find: ApiKeyStatements['find']
  /** Lets go of the files. Later calls throw CLOSED. */
  close(): void
}

/** How often the files beside the database are looked at: only someone's hand takes them away while it is in use. */
const LOG_CHECK_INTERVAL_MS = 100

/** A connection with the files that it reads. */
interface Connection {
  readonly database: DatabaseSync
  readonly find: ApiKeyStatements['find']
  readonly databaseIdentity: string
  readonly logIdentity: string
  logCheckedAtMs: number
}

function logIdentityOf(file: string): string {
  return `${identityOf(`${file}-wal`)} ${identityOf(`${file}-shm`)}`
}

/**
 * Prepares a reader; no file is touched before the first `find`. Nothing is kept between two calls but pages that SQLite
 * knows to be unchanged, so each sees what any process committed before it. Readers of a write-ahead log wait for no
 * writer, and for the few other locks this one does not wait either: it fails. After a failure, and when another file
 * stands in the place of the database, it opens anew.
 *
 * No memory map: to read one behind the end of a file that was cut short ends the process.
 */
export function createKeyReader({ file }: SqliteOptions): KeyReader {
  let connection: Connection | undefined
  let isClosed = false

  function connect(): Connection {
    const database = openBesideWriters(file)
    try {
      return {
        database,
        find: prepareFind(database),
        databaseIdentity: identityOf(file),
        logIdentity: logIdentityOf(file),
        logCheckedAtMs: performance.now(),
      }
    } catch (error) {
      database.close()
      throw error
    }
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

  function isInPlace(current: Connection): boolean {
    if (current.databaseIdentity !== identityOf(file)) return false
    const nowMs = performance.now()
    if (nowMs - current.logCheckedAtMs < LOG_CHECK_INTERVAL_MS) return true
    current.logCheckedAtMs = nowMs
    return current.logIdentity === logIdentityOf(file)
  }

  function attempt(keyId: string): ReturnType<KeyReader['find']> {
    if (connection !== undefined && !isInPlace(connection)) disconnect()
    connection ??= connect()
    return connection.find(keyId)
  }

  return {
    find(keyId) {
      if (isClosed) throw new StorageError('CLOSED', file)
      const wasConnected = connection !== undefined
      try {
        return attempt(keyId)
      } catch (error) {
        disconnect()
        const failure = storageErrorOf(error, file)
        if (!wasConnected || failure.code === 'LOCKED') throw failure
      }
      // What failed may have been the connection alone, which was opened to the files of a while ago.
      try {
        return attempt(keyId)
      } catch (error) {
        disconnect()
        throw storageErrorOf(error, file)
      }
    },

    close() {
      isClosed = true
      disconnect()
    },
  }
}
