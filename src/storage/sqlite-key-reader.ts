import type { DatabaseSync } from 'node:sqlite'

import { identityOf, MISSING_FILE, walIdentityOf } from './file-identity.ts'
import { prepareFind } from './sqlite-api-keys.ts'
import { openWalReader, type SqliteOptions, withConnection } from './sqlite-connection.ts'
import { storageErrorOf } from './sqlite-errors.ts'
import { StorageError } from './storage-error.ts'
import type { ApiKeyStore, StoredApiKey } from './api-key-store.ts'
import type { StoreStatements } from './store-calls.ts'

type Find = StoreStatements<ApiKeyStore>['find']

/** Looks up keys in the serving thread, in microseconds. */
export interface KeyReader {
  /** The key with this id. Throws a StorageError. */
  readonly find: Find
  /** Closes the files; false when none were open. Later calls throw CLOSED. */
  close(): boolean
}

/**
 * How often to check that the database and the files beside it were not replaced, which only an operator does while they
 * are in use. Checking with every look-up would add half its cost.
 */
const FILE_CHECK_INTERVAL_MS = 10
const WAL_CHECK_INTERVAL_MS = 100

/** A connection with the files that it reads. */
interface Connection {
  readonly database: DatabaseSync
  readonly find: Find
  readonly databaseIdentity: string
  readonly walIdentity: string
  fileCheckedAtMs: number
  walCheckedAtMs: number
}

/**
 * Prepares a reader. It touches no file before the first `find`, and each `find` sees every earlier commit of any process.
 * A reader of a write-ahead log (WAL) waits for no writer; for other locks it fails instead of waiting. After a failure, or
 * after the database file was replaced, it opens a new connection.
 *
 * When the WAL is unlinked, its content is visible only to connections that have it open, and a process that opens the
 * database then would start another WAL. So this reader closes and fails until `restoreWal`, which makes the writer repair
 * the files, has settled.
 *
 * Uses no memory map: reading one beyond the end of a truncated file ends the process.
 */
export function createKeyReader(
  { file }: SqliteOptions,
  restoreWal: () => Promise<unknown>,
): KeyReader {
  let connection: Connection | undefined
  let isRepairing = false
  let isClosed = false

  function connect(): Connection {
    return withConnection(openWalReader(file), (database) => {
      const nowMs = performance.now()
      return {
        database,
        find: prepareFind(database),
        databaseIdentity: identityOf(file),
        walIdentity: walIdentityOf(file),
        fileCheckedAtMs: nowMs,
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
      // A reader has nothing to lose.
    }
  }

  async function repair(): Promise<void> {
    isRepairing = true
    try {
      await restoreWal()
    } catch {
      // The next attempt to open the database reports the problem.
    } finally {
      isRepairing = false
    }
  }

  /** Closes a connection whose files were replaced or deleted. */
  function checkFiles(current: Connection): void {
    const nowMs = performance.now()
    if (nowMs - current.fileCheckedAtMs < FILE_CHECK_INTERVAL_MS) return
    current.fileCheckedAtMs = nowMs
    if (current.databaseIdentity !== identityOf(file)) {
      disconnect()
      return
    }
    if (nowMs - current.walCheckedAtMs < WAL_CHECK_INTERVAL_MS) return
    current.walCheckedAtMs = nowMs
    const found = walIdentityOf(file)
    if (found.includes(MISSING_FILE)) {
      disconnect()
      void repair()
    } else if (found !== current.walIdentity) disconnect()
  }

  function attempt(keyId: string): StoredApiKey | undefined {
    if (connection !== undefined) checkFiles(connection)
    if (isRepairing) throw new StorageError('IO', `${file}-wal`)
    connection ??= connect()
    return connection.find(keyId)
  }

  function find(keyId: string): StoredApiKey | undefined {
    if (isClosed) throw new StorageError('CLOSED', file)
    const wasConnected = connection !== undefined
    try {
      return attempt(keyId)
    } catch (error) {
      disconnect()
      const failure = storageErrorOf(error, file)
      if (!wasConnected || failure.code === 'LOCKED') throw failure
    }
    // Only the connection may have failed, whose files may be outdated.
    try {
      return attempt(keyId)
    } catch (error) {
      disconnect()
      throw storageErrorOf(error, file)
    }
  }

  return {
    find,

    close() {
      isClosed = true
      const wasConnected = connection !== undefined
      disconnect()
      return wasConnected
    },
  }
}
