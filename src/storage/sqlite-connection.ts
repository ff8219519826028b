import fs from 'node:fs'
import path from 'node:path'
import { DatabaseSync, type DatabaseSyncOptions } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

import { makeFolder } from './make-folder.ts'
import { SQLITE_RESULTS, sqliteResultOf, storageErrorOf } from './sqlite-errors.ts'
import {
  assertOurs,
  type DatabaseHeader,
  migrate,
  MIGRATIONS,
  readHeader,
} from './sqlite-migrations.ts'
import { StorageError } from './storage-error.ts'

/**
 * What may be done with the file. `create` makes it when it is missing; `read-write` wants one that is there; both bring
 * it to the version of today. `read-only` changes nothing and wants exactly the version of today.
 */
export type SqliteMode = 'create' | 'read-write' | 'read-only'

/** Where the database is, and how it is used. */
export interface SqliteOptions {
  readonly file: string
  /** How long a lock of another program is waited for; 2000 when left out. */
  readonly busyTimeoutMs?: number
  /** A limit on the size of the file, in pages of 4096 bytes; what would grow beyond it is refused with FULL. */
  readonly maxPages?: number
}

/** How long a lock is waited for unless something else is said. */
export const DEFAULT_BUSY_TIMEOUT_MS = 2000
const RETRY_INTERVAL_MS = 20

/** Each with what SQLite says once it took hold. */
const PRAGMAS: readonly (readonly [name: string, value: string, expected: number | string])[] = [
  // A transaction is durable when COMMIT returns: NORMAL would leave the WAL unsynced.
  ['synchronous', 'FULL', 2],
  // Zeroes what is deleted, in tables and indexes alike.
  ['secure_delete', 'ON', 1],
  ['foreign_keys', 'ON', 1],
  // A file that someone tampered with runs no function from its schema.
  ['trusted_schema', 'OFF', 0],
]

function pragma(database: DatabaseSync, statement: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${statement}`).get() ?? {})[0]
}

function expectPragma(file: string, name: string, expected: number | string, found: unknown): void {
  if (found === expected) return
  throw new StorageError('IO', file, {
    cause: new Error(`PRAGMA ${name}: found ${String(found)}, expected ${expected}`),
  })
}

/** Opens the write-ahead log (WAL). SQLite does not always wait for a lock here, and another process may be doing the same. */
function enterWalMode(database: DatabaseSync, file: string, timeoutMs: number): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  const deadlineMs = performance.now() + timeoutMs
  for (;;) {
    try {
      expectPragma(file, 'journal_mode', 'wal', pragma(database, 'journal_mode = WAL'))
      return
    } catch (error) {
      if (sqliteResultOf(error) !== SQLITE_RESULTS.BUSY || performance.now() >= deadlineMs)
        throw error
      Atomics.wait(sleeper, 0, 0, RETRY_INTERVAL_MS)
    }
  }
}

function setPragmas(database: DatabaseSync, file: string, { maxPages }: SqliteOptions): void {
  for (const [name, value, expected] of PRAGMAS) {
    database.exec(`PRAGMA ${name} = ${value}`)
    expectPragma(file, name, expected, pragma(database, name))
  }
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`)
}

/** Whether there is a file with something in it. */
function isPresent(file: string): boolean {
  return (fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0
}

/** Makes an empty file that only its owner may read; SQLite gives the files beside it the same mode. */
function makeFile(file: string): void {
  // SQLite syncs the folder itself with its first write, and not the name of one that was made.
  makeFolder(path.dirname(file), 0o700)
  try {
    // Only ever a new file: to close one that SQLite has open would drop the locks of this process on it
    // (https://sqlite.org/howtocorrupt.html, section 2.2).
    fs.closeSync(fs.openSync(file, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** What `prepare` makes of a connection that was just opened; when it throws, the connection is closed again. */
export function preparedOn<Prepared>(
  database: DatabaseSync,
  prepare: (database: DatabaseSync) => Prepared,
): Prepared {
  try {
    return prepare(database)
  } catch (error) {
    database.close()
    throw error
  }
}

/** Opens a connection and closes it again when `check` throws. */
function connect(
  location: string | URL,
  options: DatabaseSyncOptions,
  check: (database: DatabaseSync) => void,
): DatabaseSync {
  return preparedOn(
    new DatabaseSync(location, { ...options, allowExtension: false }),
    (database) => {
      check(database)
      return database
    },
  )
}

/** A folder in which the index of the WAL cannot be made, or a transaction that a crash cut off. */
function needsWriting(error: unknown): boolean {
  const result = sqliteResultOf(error)
  return result === SQLITE_RESULTS.READONLY || result === SQLITE_RESULTS.CANTOPEN
}

/**
 * Looks at a file before anything opens it for writing, since even that may change it (a WAL that was left behind is
 * checkpointed): the database of another program stays as it is.
 */
function assertUsable(file: string, timeout: number): void {
  if (!isPresent(file)) return
  try {
    connect(file, { readOnly: true, timeout }, (database) =>
      assertOurs(readHeader(database), file),
    ).close()
  } catch (error) {
    // What only a writer can read is looked at again by the writer.
    if (!needsWriting(error)) throw error
  }
}

/** Throws unless there are tables of this service, of whatever version up to today's. */
export function assertInUse(header: DatabaseHeader, file: string): void {
  assertOurs(header, file)
  if (header.isEmpty) throw new StorageError('MISSING', file)
}

function assertToday(header: DatabaseHeader, file: string): void {
  assertInUse(header, file)
  if (header.userVersion < MIGRATIONS.length) throw new StorageError('OLDER', file)
}

/** Opens a database that is there and changes nothing in it. Throws a StorageError, or what `check` or SQLite threw. */
export function openToRead(
  { file, busyTimeoutMs = DEFAULT_BUSY_TIMEOUT_MS }: SqliteOptions,
  check: (header: DatabaseHeader, file: string) => void,
): DatabaseSync {
  if (!isPresent(file)) throw new StorageError('MISSING', file)
  const checkOpened = (database: DatabaseSync): void => check(readHeader(database), file)
  try {
    return connect(file, { readOnly: true, timeout: busyTimeoutMs }, checkOpened)
  } catch (error) {
    if (!needsWriting(error)) throw error
    if (isPresent(`${file}-wal`)) {
      const where = `${file} (its write-ahead log has to be read too; copy both to a folder that can be written)`
      throw new StorageError('IO', where, { cause: error })
    }
    // A copy where nothing can be written: the index of a WAL cannot be made, and without a WAL none is needed.
    const url = pathToFileURL(file)
    url.searchParams.set('immutable', '1')
    return connect(url, { readOnly: true }, checkOpened)
  }
}

/**
 * Opens a database of today's version to read what others write to it. Waits for no lock. Throws a StorageError, or what
 * SQLite threw; also where nothing can be written, since a database that is read without its WAL would never change.
 */
export function openBesideWriters(file: string): DatabaseSync {
  if (!isPresent(file)) throw new StorageError('MISSING', file)
  return connect(file, { readOnly: true, timeout: 0 }, (database) =>
    assertToday(readHeader(database), file),
  )
}

/**
 * Opens the database and brings it to the version of today (see SqliteMode). Blocks the thread while it waits for a
 * lock. Throws a StorageError.
 */
export function openSqliteConnection(mode: SqliteMode, options: SqliteOptions): DatabaseSync {
  const { file, busyTimeoutMs: timeout = DEFAULT_BUSY_TIMEOUT_MS } = options
  try {
    if (mode === 'read-only') return openToRead(options, assertToday)
    if (mode === 'create') makeFile(file)
    else if (!isPresent(file)) throw new StorageError('MISSING', file)
    assertUsable(file, timeout)
    return connect(file, { timeout }, (database) => {
      assertOurs(readHeader(database), file)
      enterWalMode(database, file, timeout)
      setPragmas(database, file, options)
      migrate(database, file)
    })
  } catch (error) {
    throw storageErrorOf(error, file)
  }
}

/**
 * Checkpoints all of the WAL into the database and empties it. Waits up to `waitMs` for whoever reads or writes; false
 * when one of them still needs what is in the WAL. `timeoutMs` is what the connection waits for from then on.
 */
export function checkpointWal(database: DatabaseSync, waitMs: number, timeoutMs: number): boolean {
  database.exec(`PRAGMA busy_timeout = ${waitMs}`)
  try {
    return Number(pragma(database, 'wal_checkpoint(TRUNCATE)')) === 0
  } finally {
    database.exec(`PRAGMA busy_timeout = ${timeoutMs}`)
  }
}
